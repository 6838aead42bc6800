// Everything that a log answers, one line for each answer, to compare two logs by.
#pragma once

#include <string>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// List, Info, reads in both directions and by turn, inquiries, pending, tails. An error becomes a line that begins with
// "error", damage one that begins with "damage".
std::vector<std::string> AnswersOf(Log& log);

}  // namespace turnlog
