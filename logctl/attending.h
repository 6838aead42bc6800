// What `answer` and `cancel` have in common: which inquiry is meant, closing it and those that come of it, the report.
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

class Attending {
 public:
  // Opens the store for writing. `verb` is what another writer will be told about us.
  static Expected<Attending> Open(const Context& context, const std::string& conversation, std::string_view verb);

  TurnState state() const { return attendant_.state(); }
  // The inquiry of that id, or the only one that waits. Fails with a list if several do.
  Expected<InquiryState> Choose(const std::optional<std::string>& id) const;
  // The oldest one that waits and has not been put off.
  std::optional<std::string> Next() const;

  // `reply` gives what to do about an inquiry. If it fails, that one goes on waiting.
  using Replier = std::function<Expected<PromptReply>(const InquiryRequest& inquiry)>;
  Expected<void> Attend(const std::string& id, const Replier& reply);

  // Closes the store and says what was done.
  CommandResult Finish(const Context& context);

 private:
  Attending(std::unique_ptr<Log> log, ConversationId conversation, PendingInquiryResponder attendant)
      : log_(std::move(log)), conversation_(std::move(conversation)), attendant_(std::move(attendant)) {}

  struct Closed {
    std::string id;
    std::string_view outcome;
    std::string reason;
  };
  static Closed ClosedBy(const InquiryRequest& inquiry, const PromptReply& reply);
  void PrintJson(const Context& context, const TurnState& state) const;
  void PrintText(const Context& context, const TurnState& state) const;

  std::unique_ptr<Log> log_;
  ConversationId conversation_;
  PendingInquiryResponder attendant_;
  std::set<std::string> put_off_;
  std::vector<Closed> closed_;
};

// "awaiting the user"
std::string_view ActivityText(Activity activity);

}  // namespace turnlog
