// Finds what was compressed with gzip or zlib and then encoded in base64.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// Decompressed data is read up to so many bytes, and up to this growth: a few bytes can stand for gigabytes.
inline constexpr std::size_t kMaxInflated = std::size_t{16} << 20;
inline constexpr std::size_t kMaxInflatedGrowth = 100;

// Calls `on_inflated` for each run that begins with a header of gzip or zlib, with what could be decompressed of it.
// The source of every byte is the whole run.
void ForEachCompressed(std::string_view text, std::span<const TextSpan> base64_runs,
                       const std::function<void(const DecodedText&)>& on_inflated);

// Whether a run begins with such a header.
bool MayBeCompressed(std::string_view run);
// Whether one begins after a backslash and the name of its escape, which looks like the first letter of `run`.
bool MayBeCompressedAfterEscape(std::string_view text, TextSpan run);

}  // namespace turnlog
