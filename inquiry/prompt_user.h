// The part of asking a person that does not depend on why they are asked.
#pragma once

#include <optional>

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

// The user, as a reply and the responders name them.
Responder UserOf(const Responders& responders, const PromptReply& reply);

// Prompts until the user gives an answer that the inquiry takes, or cancels it; records nothing. None: it is deferred.
// If the prompter fails, the inquiry goes on waiting, and the error is returned. REQUIRES: the inquiry waits. `call`:
// the one that it asks to approve, whose arguments may be edited; null if it asks anything else.
Result<std::optional<PromptReply>> PromptUntilItFits(TurnRecorder& recorder, const InquiryRequest& inquiry,
                                                     const Responders& responders,
                                                     const ToolCallRequest* call = nullptr);

// The same, and records what the user did.
Result<Resolution> PromptUser(TurnRecorder& recorder, const InquiryRequest& inquiry, const Responders& responders);

}  // namespace turnlog
