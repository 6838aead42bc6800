// How often the tests that kill a process do so: TURNLOG_KILLS, or what they think enough.
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
