#include "schema/json/utf8_scan.h"

#include <algorithm>
#include <cstdint>

#include "base/coding.h"
#include "base/utf8.h"
#include "simdjson.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

bool IsAscii(std::string_view text) {
  std::uint64_t bits = 0;
  std::size_t at = 0;
  for (; at + sizeof bits <= text.size(); at += sizeof bits) bits |= LoadLittle<std::uint64_t>(text.data() + at);
  for (; at < text.size(); ++at) bits |= static_cast<unsigned char>(text[at]);
  return (bits & kHighBits) == 0;
}

}  // namespace

bool IsUtf8Fast(std::string_view text) {
  constexpr std::size_t kWorthDispatching = 64;
  if (text.size() <= kWorthDispatching && IsAscii(text)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

std::size_t Utf8PrefixLength(std::string_view text) {
  std::size_t good = 0;
  while (good < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && !IsUtf8(text.substr(good, length))) ++length;
    if (length > 4 || good + length > text.size()) return good;
    good += length;
  }
  return good;
}

}  // namespace turnlog
