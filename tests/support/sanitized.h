// Whether this build is checked by a sanitizer, which makes it several times slower.
#pragma once

#include <cstddef>

namespace turnlog {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

// Of tests that do the same at every byte of a text: which bytes.
inline constexpr std::size_t kByteStep = kSanitized ? 5 : 1;

}  // namespace turnlog
