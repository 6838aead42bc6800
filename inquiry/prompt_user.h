// The part of asking a person that does not depend on why they are asked.
#pragma once

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

// Prompts until the user gives an answer that the inquiry takes, refuses, or puts it off; records what they did.
// REQUIRES: the inquiry waits.
Result<Resolution> PromptUser(TurnRecorder& recorder, const InquiryRequest& inquiry, const Prompter& user);

}  // namespace turnlog
