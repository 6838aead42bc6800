// Which vector instructions to use, of those that not every processor has. The results are the same with all of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace turnlog {

enum class Vectors : std::uint8_t { kNone, kAvx2, kAvx512 };  // kAvx512: with permutations of bytes

// `most`, or what the processor has.
inline Vectors SupportedVectors(Vectors most) {
  static const Vectors kSupported = [] {
#if defined(__x86_64__)
    const bool permutes = __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
                          __builtin_cpu_supports("avx512vbmi2") != 0;
    if (__builtin_cpu_supports("avx2") != 0) return permutes ? Vectors::kAvx512 : Vectors::kAvx2;
#endif
    return Vectors::kNone;
  }();
  return std::min(most, kSupported);
}

}  // namespace turnlog
