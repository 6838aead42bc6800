// What `answer` and `cancel` share: finding the inquiry, closing it and those that follow from it, the report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "logctl/command.h"
#include "turnlog/inquiry/pending_inquiry_responder.h"

namespace turnlog {

class AnswerSession {
 public:
  // Opens the store for writing. `verb` names this process to other writers.
  static Expected<AnswerSession> Open(const Context& context, const std::string& conversation, std::string_view verb);

  TurnState state() const { return responder_->state(); }
  // The inquiry with that id, or the only pending one. Fails with a list if there are several.
  Expected<InquiryState> Choose(const std::optional<std::string>& id) const;
  // The oldest pending inquiry that was not deferred.
  std::optional<std::string> Next() const;

  // `reply` decides about an inquiry. If it fails, the inquiry stays pending.
  using Replier = std::function<Expected<PromptReply>(const InquiryRequest& inquiry)>;
  // `via`: through what the user answers, "terminal" or "api".
  Expected<void> Respond(const std::string& id, std::string_view via, const Replier& reply);

  // Whether secrets go to the agent that waits for them: the store is used through a service.
  bool hands_over_secrets() const;
  // Of a reply to this inquiry, which is then on record. Errors: of GiveSecret.
  Status HandOver(const std::string& id, std::string_view via, std::string_view secret);

  // Closes the store and prints the report.
  CommandResult Finish(const Context& context);

 private:
  AnswerSession(std::unique_ptr<Log> log, ConversationId conversation, PendingInquiryResponder responder)
      : log_(std::move(log)), conversation_(std::move(conversation)), responder_(std::move(responder)) {}

  struct Closed {
    std::string id;
    std::string_view outcome;
    std::string reason;
  };
  static Closed ClosedBy(const InquiryRequest& inquiry, const PromptReply& reply);
  Expected<void> Reopen();
  void PrintJson(const Context& context, const TurnState& state) const;
  void PrintText(const Context& context, const TurnState& state) const;

  std::unique_ptr<Log> log_;
  ConversationId conversation_;
  std::optional<PendingInquiryResponder> responder_;
  std::set<std::string> deferred_, handed_over_;
  std::vector<Closed> closed_;
};

// "awaiting the user"
std::string_view ActivityText(Activity activity);

}  // namespace turnlog
