// How much is tried by tests that walk through every byte, call, kill or seed: a sample, a smaller one under a
// sanitizer, or with TURNLOG_EFFORT=full in the environment all of it, for hours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/support/sanitized.h"

namespace turnlog {

inline bool FullEffort() {
  const char* const effort = std::getenv("TURNLOG_EFFORT");
  return effort != nullptr && std::string_view(effort) == "full";
}

// Under a sanitizer a test is slower, and its code has been run without one already.
inline constexpr std::uint64_t kSlower = kSanitized ? 8 : 1;

// From one place that is tried to the next.
inline std::uint64_t SampleStep(std::uint64_t sampled) { return FullEffort() ? 1 : sampled * kSlower; }

// What a walk with this step has to reach, or hardly anything was tried.
inline std::uint64_t LeastReach(std::uint64_t step) { return std::max<std::uint64_t>(step, 5); }

inline std::uint64_t SampleSize(std::uint64_t sampled, std::uint64_t full) {
  return FullEffort() ? full : std::max<std::uint64_t>(sampled / kSlower, 1);
}

}  // namespace turnlog
