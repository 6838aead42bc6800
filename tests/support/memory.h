// The memory of this process, for tests of memory bounds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/support/sanitized.h"

namespace turnlog {

inline std::uint64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmRSS:") continue;
    std::uint64_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

inline void ExpectMemoryBelow(std::uint64_t kib) {
  if (kSanitized) return;  // sanitizers keep what is freed
  EXPECT_LT(ResidentKib(), kib);
}

}  // namespace turnlog
