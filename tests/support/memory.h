// The memory of this process, for tests of memory bounds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

inline void ExpectMemoryBelow(std::uint64_t kib) {
  if (kSanitized) return;  // sanitizers keep what is freed
  EXPECT_LT(ResidentKib(), kib);
}

}  // namespace turnlog
