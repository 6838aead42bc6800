// The number of kills in tests that kill a process: TURNLOG_KILLS, or the test's default.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace turnlog {

inline std::uint64_t Kills(std::uint64_t enough) {
  const char* text = std::getenv("TURNLOG_KILLS");
  return text == nullptr ? enough : std::stoull(text);
}

}  // namespace turnlog
