// Records one turn of a conversation while it runs. All that it knows comes from the log and goes there first, so that
// another one can go on where this one was when its process died.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/inquiry/remembered.h"
#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

class AskedQuestions;
class TurnWriter;

struct RecorderOptions {
  // Of everything but inquiry requests, which are always on disk before a responder is asked.
  Durability durability = Durability::kSync;
  std::function<Timestamp()> now;  // the system's clock if empty
};

// A question that a call wants to have answered.
struct InquiryAttempt {
  std::string tool_call;    // the call's id
  std::string question_id;  // holds no '.'; the same for the same question, however often it is asked
  InquirySource source;
  Question question;
  std::optional<std::string> escalated_from;  // the inquiry that this one follows up
};

struct GivenAnswer {
  Json answer;
  Responder responder;
  std::optional<std::string> reason;
  bool remember = false;  // until the turn is over
  // To the question whether a call may run (Approve): an object that replaces the call's arguments. The answer is
  // `false`, and is not remembered.
  Json edited_arguments = {};
};

// How an inquiry ends.
struct Closing {
  std::string inquiry;
  std::optional<GivenAnswer> answer;           // none: it is cancelled
  std::string reason;                          // why it is cancelled (cancellation.h); `unspecified` if empty
  std::optional<Responder> cancelled_by = {};  // who cancelled it, if a user did
};

struct ToolResult {
  std::string content;
  bool is_error = false;
  Json metadata;  // an object, e.g. PropagateDenials of a delegated agent's denials (denials.h)
};

// One object per running turn. Threads: all members may be called from any thread at once; who waits for the disk does
// not keep others from going on.
//
// A call that fails records nothing. kConflict: another writer writes this turn or has begun the next one, and
// this recorder accepts nothing more; or the inquiry has been closed before. Errors of the log itself come through.
class TurnRecorder {
 public:
  // Begins a turn with what the user says. What the turn before left open is closed, its inquiries as `superseded`, in
  // the same append. `log` must outlive the recorder.
  static Result<std::unique_ptr<TurnRecorder>> Begin(Log& log, const ConversationId& conversation,
                                                     const ChatRequest& request, RecorderOptions options = {});
  // Goes on with the last turn, from what the log has of it. kNotFound: there is no such conversation.
  static Result<std::unique_ptr<TurnRecorder>> Resume(Log& log, const ConversationId& conversation,
                                                      RecorderOptions options = {});
  // Unless it was closed or suspended before: leaves waiting what the user can still answer, and the calls that asked
  // it; other open calls get error results. What this process was asking when an exception came is closed, as
  // `interrupted`.
  ~TurnRecorder();
  TurnRecorder(const TurnRecorder&) = delete;
  TurnRecorder& operator=(const TurnRecorder&) = delete;

  // Before each request to the model: what is recorded from now on is of the response to it, also if it is streamed. So
  // it is known what the model had been told (denials.h).
  void StartMessage();
  // What the model says.
  Status Respond(const ChatResponse& response);
  // All calls of one message of the model. kInvalidArgument: one of them is open already.
  Status RequestTools(std::span<const ToolCallRequest> calls);
  Status RequestTool(const ToolCallRequest& call) { return RequestTools({&call, 1}); }
  // Whether the call waits for its result. kNotFound: there is none of that id in this turn. kConflict: it has its
  // result already.
  Status CheckOpen(std::string_view call) const;
  // The call's result; an error says also which of its questions were answered with no, by whom and why.
  // Errors: of CheckOpen. kInvalidArgument: one of its inquiries waits.
  Status FinishTool(std::string_view call, const ToolResult& result);
  // The user refuses the call; inquiries are closed in the same append. If it was refused already, nothing changes;
  // kConflict: it has another result.
  Status DenyTool(std::string_view call, const std::optional<std::string>& reason,
                  const Responder& user = {"user", {}, {}, {}, {}}, std::span<const Closing> closings = {});
  // How the user refused the last call of this id that has its result; nothing if it was not refused.
  std::optional<Denial> FindDenial(std::string_view call) const;
  // A permission for all calls of a tool, or for those with the same arguments, until the turn is over.
  Status RememberPermission(const PermissionKey& key, Permission permission,
                            const Responder& user = {"user", {}, {}, {}, {}},
                            const std::optional<std::string>& reason = {});
  std::optional<RememberedPermission> FindPermission(const PermissionKey& key) const;
  // What a call runs with if this question about it was answered so; empty if it was not, or if a part of that was
  // redacted.
  Json FindEditedArguments(std::string_view inquiry) const;

  // Records the question, as its next attempt. On disk when it returns: only now may a responder be asked.
  // Errors: of CheckOpen. kInvalidArgument: it cannot be asked (CheckQuestion).
  Result<InquiryId> Ask(const InquiryAttempt& attempt);
  Result<std::vector<InquiryId>> AskAll(std::span<const InquiryAttempt> attempts);  // all in one append
  // What was answered to this question in this turn, to be used again.
  std::optional<RememberedAnswer> FindRemembered(const InquiryAttempt& attempt) const;
  // An answer to a secret is checked and recorded as `redacted`. kInvalidArgument: not an answer to this question, or
  // an assistant's to a secret. kConflict: it has been closed, or its turn is over. kNotFound: it was never asked.
  Status Answer(std::string_view inquiry, const GivenAnswer& answer);
  // Whether it could be answered now; if not, with the same errors.
  Status CheckWaits(std::string_view inquiry) const;
  Status Cancel(std::string_view inquiry, std::string_view reason, const std::optional<Responder>& by = {});
  // It waits for its user, however long that takes: it is not closed when this process fails.
  void Defer(std::string_view inquiry);
  // Several at once, and perhaps the result of the call that asked them, in one append.
  Status CloseAll(std::span<const Closing> closings, std::string_view call = {}, const ToolResult* result = nullptr);

  // Takes in what others have appended: answers, and events that belong to no turn. Every other call does so by itself
  // if it must.
  Status Refresh();
  TurnState state() const;
  const ConversationId& conversation() const;

  // Closes what is open: inquiries are cancelled for this reason, calls get error results. Nothing more is accepted.
  Status Close(std::string_view reason);
  // The same of a turn that has failed, e.g. because the provider refuses it: the last event is a message with `why`,
  // whose metadata has "failed": true. The service shows such a conversation as failed until the next turn.
  Status Fail(std::string_view why);
  // Leaves it open, to be resumed. Nothing more is accepted.
  void Suspend();

 private:
  explicit TurnRecorder(std::unique_ptr<TurnWriter> writer);

  friend class Inquirer;
  const std::unique_ptr<TurnWriter> writer_;
  const std::unique_ptr<AskedQuestions> asked_;
  const int exceptions_;                // on their way when it was made
  std::atomic<std::uint64_t> message_;  // of the model, the current one; 0: not told apart
};

}  // namespace turnlog
