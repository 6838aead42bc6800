// Why an inquiry has no answer. Open tags: one that this version does not know is kept as it is.
#pragma once

#include <string_view>

namespace turnlog::cancellation {

inline constexpr std::string_view kUser = "user";                          // the one who was asked would not say
inline constexpr std::string_view kBackendError = "backend_error";         // who was to ask or to answer failed
inline constexpr std::string_view kNoPromptBackend = "no_prompt_backend";  // a person is needed, and none is present
inline constexpr std::string_view kAssistantDenied = "assistant_routing_denied";  // the assistant must not be asked
inline constexpr std::string_view kInvalidStaticAnswer = "invalid_static_answer";
inline constexpr std::string_view kReply = "reply";       // form: the user would rather say something
inline constexpr std::string_view kEndTurn = "end_turn";  // form: and the model shall say nothing more
inline constexpr std::string_view kBack = "back";         // form: to the question before
inline constexpr std::string_view kSuperseded =
    "superseded";  // a new turn has begun, or another question is asked instead
inline constexpr std::string_view kExpired = "expired";
inline constexpr std::string_view kRunTerminated = "run_terminated";
inline constexpr std::string_view kInterrupted = "interrupted";  // who asked went away
inline constexpr std::string_view kUnspecified = "unspecified";  // nothing was said

// Whether a user decided it. Other reasons are of the system, and the question may be asked again.
constexpr bool IsUsers(std::string_view reason) {
  return reason == kUser || reason == kReply || reason == kEndTurn || reason == kBack;
}

}  // namespace turnlog::cancellation
