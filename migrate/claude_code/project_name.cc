#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "turnlog/migrate/resume.h"

namespace turnlog {
namespace {

// As JavaScript sees the text. What is not UTF-8 counts byte by byte.
std::vector<std::uint16_t> Utf16(std::string_view text) {
  std::vector<std::uint16_t> units;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length && at + i < text.size(); ++i) {
      code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
    }
    if (code >= 0x10000) {
      units.push_back(static_cast<std::uint16_t>(0xD7C0 + (code >> 10)));
      code = 0xDC00 | (code & 0x3FF);
    }
    units.push_back(static_cast<std::uint16_t>(code));
    at += length;
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
