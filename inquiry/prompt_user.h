// The part of asking a person that does not depend on why they are asked.
#pragma once

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

// The user, as a reply and the responders name them.
Responder UserOf(const Responders& responders, const PromptReply& reply);

// Prompts until the user gives an answer that the inquiry takes, refuses, or puts it off; records what they did. If the
// prompter fails, the inquiry goes on waiting, and the error is returned. REQUIRES: the inquiry waits.
Result<Resolution> PromptUser(TurnRecorder& recorder, const InquiryRequest& inquiry, const Responders& responders);

}  // namespace turnlog
