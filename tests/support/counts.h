// How often tests repeat what was promised for a number of times that takes minutes: TURNLOG_FULL_COUNTS asks for all.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace turnlog {

inline std::uint64_t RepeatCount(std::uint64_t enough, std::uint64_t promised) {
  return std::getenv("TURNLOG_FULL_COUNTS") == nullptr ? enough : promised;
}

}  // namespace turnlog
