// All answers of a log, one line each, to compare two logs.
#pragma once

#include <string>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// List, Info, reads in both directions and by turn, inquiries, pending, tails. An error becomes a line that begins with
// "error", damage one that begins with "damage".
std::vector<std::string> AnswersOf(Log& log);

}  // namespace turnlog
