// Problems and notes of imports without their wording: tests compare what a program can rely on.
#pragma once

#include <string>

#include "turnlog/migrate/import.h"

namespace turnlog {

// "c/events.json, element 7, byte 4128: quarantined"
inline std::string LocatedCode(ImportProblem problem) {
  problem.reason = ToString(problem.code);
  return ToString(problem);
}

}  // namespace turnlog
