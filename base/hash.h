// XXH3 as turnlog uses it. All stored hashes are computed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "xxhash.h"

namespace turnlog {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const Hash128&) const = default;
};

inline constexpr std::size_t kFewHashed = 240;  // XXH3 uses no vectors up to here

// With AVX2 where the processor has it.
std::uint64_t HashLong64(std::string_view bytes);

inline std::uint64_t Hash64(std::string_view bytes) {
  return bytes.size() <= kFewHashed ? XXH3_64bits(bytes.data(), bytes.size()) : HashLong64(bytes);
}

inline std::uint64_t Hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

inline Hash128 HashId(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace turnlog

template <>
struct std::hash<turnlog::Hash128> {
  std::size_t operator()(const turnlog::Hash128& value) const noexcept { return value.low; }
};
