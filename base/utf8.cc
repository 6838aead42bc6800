#include "base/utf8.h"

#include <simdjson.h>
#include <utf8proc.h>

#include <algorithm>

#include "base/coding.h"

namespace turnlog {
namespace {

bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  constexpr std::size_t kWord = sizeof kHighBits;
  const auto word = [&](std::size_t at) { return LoadLittle<std::uint64_t>(text.data() + at); };
  std::uint64_t bits = 0;
  std::size_t at = 0;
  for (; at + 4 * kWord <= text.size(); at += 4 * kWord) {
    bits |= (word(at) | word(at + kWord)) | (word(at + 2 * kWord) | word(at + 3 * kWord));
  }
  for (; at + kWord <= text.size(); at += kWord) bits |= word(at);
  if (at < text.size() && text.size() >= kWord) {
    bits |= word(text.size() - kWord);  // overlaps the last one
  } else {
    for (; at < text.size(); ++at) bits |= static_cast<unsigned char>(text[at]);
  }
  return (bits & kHighBits) == 0;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  constexpr std::size_t kWorthDispatching = 256;
  if (text.size() <= kWorthDispatching && IsAscii(text)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

std::size_t Utf8PrefixLength(std::string_view text) {
  std::size_t good = 0;
  while (const auto code = DecodeUtf8(text.substr(good))) good += code->bytes;
  return good;
}

std::optional<CodePoint> DecodeUtf8(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  utf8proc_int32_t value = 0;
  const auto length = static_cast<utf8proc_ssize_t>(std::min(text.size(), kLongest));
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), length, &value);
  if (bytes <= 0) return std::nullopt;
  return CodePoint{static_cast<char32_t>(value), static_cast<std::size_t>(bytes)};
}

}  // namespace turnlog
