// Compiled for processors that have AVX2. So it must not include what has inline functions that other files have, too:
// the linker would take either.
#include "base/hash_avx2.h"

#include "xxhash.h"

namespace turnlog {

std::uint64_t Hash64WithAvx2(const char* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace turnlog
