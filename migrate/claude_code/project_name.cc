#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "turnlog/migrate/resume.h"

namespace turnlog {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// As JavaScript sees the text. Each byte that is not UTF-8 is one replacement character.
std::vector<std::uint16_t> Utf16(std::string_view text) {
  std::vector<std::uint16_t> units;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = DecodeUtf8(text.substr(at)).value_or(CodePoint{kReplacement, 1});
    char32_t code = next.value;
    if (code >= 0x10000) {
      units.push_back(static_cast<std::uint16_t>(0xD7C0 + (code >> 10)));
      code = 0xDC00 | (code & 0x3FF);
    }
    units.push_back(static_cast<std::uint16_t>(code));
    at += next.bytes;
  }
  return units;
}

bool IsAlphanumeric(std::uint16_t unit) {
  return (unit >= '0' && unit <= '9') || (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z');
}

std::string Base36(std::uint32_t number) {
  std::string digits;
  do {
    digits.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
  } while ((number /= 36) != 0);
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace

std::string ClaudeProjectName(std::string_view folder) {
  constexpr std::size_t kMaxName = 200;
  std::string name;
  std::uint32_t hash = 0;
  for (const std::uint16_t unit : Utf16(folder)) {
    name.push_back(IsAlphanumeric(unit) ? static_cast<char>(unit) : '-');
    hash = hash * 31 + unit;
  }
  if (name.size() <= kMaxName) return name;
  const auto value = static_cast<std::int32_t>(hash);
  return fmt::format("{}-{}", name.substr(0, kMaxName), Base36(value < 0 ? 0 - hash : hash));
}

}  // namespace turnlog
