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
  std::string reason;     // kCancel: why (cancellation.h)
};

// Shows the question and gives what the user did. `problem` says why the last answer was none, empty the first time.
// An error counts as `backend_error`.
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
  Prompter user;                     // none: nobody is there
  Assistant assistant;               // none: whoever asks it gets `backend_error`
  std::optional<std::string> model;  // the assistant's, where the target does not name one
  DetachedPolicy detached = DetachedPolicy::kDeny;
  int assistant_tries = 2;
};

struct Resolution {
  enum class Kind : std::uint8_t { kAnswered, kCancelled, kWaiting };

  Kind kind = Kind::kWaiting;
  InquiryId inquiry;    // its last attempt
  Json answer;          // kAnswered; of a secret the answer itself, which is nowhere else
  Responder responder;  // kAnswered
  std::string reason;   // kCancelled
};

// An inquiry of this question that waits already, from before a crash or a `kDeferred`, is taken up again; so is an
// escalation that had not begun. Errors: of the recorder.
Result<Resolution> Inquire(TurnRecorder& recorder, const InquiryAttempt& asking, const Target& target,
                           const Responders& responders);

}  // namespace turnlog
