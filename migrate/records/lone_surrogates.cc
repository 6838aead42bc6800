#include "migrate/records/lone_surrogates.h"

#include <algorithm>

#include "base/hex.h"

namespace turnlog {
namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX

bool IsLoneSurrogate(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("\\u") || text.size() - at < kEscape || ReadUnicodeEscape(text, at)) return false;
  const auto unit = ParseHex(text.substr(at + 2, 4));
  return unit && *unit >> 11 == 0xd800 >> 11;
}

}  // namespace

std::optional<std::string> WithoutLoneSurrogates(std::string_view text, const JsonFault& fault) {
  if (fault.byte >= text.size() || !IsLoneSurrogate(text, fault.byte)) return std::nullopt;
  std::string masked(text);
  for (std::size_t at = fault.byte; (at = masked.find('\\', at)) != std::string::npos;) {
    if (IsLoneSurrogate(masked, at)) masked.replace(at, kEscape, "\\ufffd");
    const auto escape = ReadUnicodeEscape(masked, at);
    at = std::min(masked.size(), at + (escape ? escape->length : 2));
  }
  return masked;
}

}  // namespace turnlog
