// Takes a question of a tool to its answer: records it, decides who answers, asks them, records what became of it.
// Whatever happens, a request and its response are in the log, or the question waits for its user.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/inquiry/routing.h"
#include "turnlog/inquiry/target.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

// What the user did when prompted.
struct PromptReply {
  enum class Kind : std::uint8_t {
    kAnswer,
    kCancel,
    kDeferred,  // the question goes on waiting, perhaps for another process
  };

  Kind kind = Kind::kDeferred;
  Json answer;            // kAnswer; of a secret: a string
  bool remember = false;  // kAnswer: until the turn is over
  // kCancel (cancellation.h): `user` if empty, the agent goes on without the answer; `end_turn`: the turn is over.
  std::string reason;
  std::string note = {};  // kAnswer: why, or what is to be said beside it; the model gets to know it
  std::string who = {};   // their name, if it is not what Responders says
  std::string via = {};   // through what they answered, likewise
  // kAnswer without an answer, to the question whether a call may run (Approve): an object that replaces the call's
  // arguments.
  Json edited_arguments = {};
};

// Shows the question (prompt_text.h) and gives what the user did. `problem` says why the last answer was none, empty
// the first time. After an error the question goes on waiting, and who asked gets the error.
using Prompter = std::function<Result<PromptReply>(const InquiryRequest& inquiry, std::string_view problem)>;

struct AssistantRequest {
  const InquiryRequest& inquiry;
  std::string prompt;     // AssistantPrompt
  Json schema;            // AnswerSchema
  Json settings;          // of the target
  std::string rejection;  // why the last answer was none, for the model; empty the first time
};

// Gives the model's structured output. An error counts as `backend_error`.
using Assistant = std::function<Result<std::string>(const AssistantRequest& request)>;

struct Responders {
  Prompter user;                     // none: no user is present
  Assistant assistant;               // none: questions for it get `backend_error`
  std::optional<std::string> model;  // the assistant's, where the target does not name one
  DetachedPolicy detached = DetachedPolicy::kDeny;
  int assistant_tries = 2;
  std::optional<std::string> who = {};  // the user's name
  std::optional<std::string> via = {};  // through what the user answers: "terminal", "page", "hook", "api"
};

struct Resolution {
  enum class Kind : std::uint8_t { kAnswered, kCancelled, kWaiting };

  Kind kind = Kind::kWaiting;
  InquiryId inquiry;                     // its last attempt
  Json answer;                           // kAnswered; of a secret the answer itself, which is nowhere else
  Responder responder;                   // kAnswered, and kCancelled by a user
  std::string reason;                    // kCancelled
  std::optional<std::string> note = {};  // kAnswered: why, as the responder said it
};

// A question that was asked before, by a process that was interrupted or got `kDeferred`, is not asked again: if it
// waits, it is taken up; if it was answered or a user cancelled it, the tool gets that, in the order in which it asks.
// So is an escalation that had not begun. It is asked again if its text, type, options or schema are others (the old
// one is closed as `superseded`), if the system had cancelled it, and if it was a secret, which is nowhere.
// Threads that ask the same question of the same call at once get the same resolution. Errors: of the recorder, and of
// the prompter.
Result<Resolution> Inquire(TurnRecorder& recorder, const InquiryAttempt& attempt, const Target& target,
                           const Responders& responders);

}  // namespace turnlog
