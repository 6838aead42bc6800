// Inquire, for those who know what was answered before.
#pragma once

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

// Takes up the question if it waits already, and asks it again otherwise, whatever was answered before.
Result<Resolution> AskQuestion(TurnRecorder& recorder, const InquiryAttempt& attempt, const Target& target,
                               const Responders& responders);

}  // namespace turnlog
