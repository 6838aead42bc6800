#include "base/hash.h"

#ifdef TURNLOG_HASH_WITH_AVX2
#include "base/hash_avx2.h"
#endif

namespace turnlog {

// Not with AVX-512, as libxxhash would choose it: where long texts are between short ones, that takes longer than SSE2.
std::uint64_t HashLong64(std::string_view bytes) {
#ifdef TURNLOG_HASH_WITH_AVX2
  if (__builtin_cpu_supports("avx2") != 0) return Hash64WithAvx2(bytes.data(), bytes.size());
#endif
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace turnlog
