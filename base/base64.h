// Base64 (RFC 4648): padded, and decoded strictly, because a string that does not decode is plain text. Encoding the
// decoded bytes yields the same letters again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

enum class Base64Alphabet {
  kStandard,  // the last two letters are + and /
  kUrlSafe,   // the last two letters are - and _
};

void AppendBase64(std::string_view bytes, std::string& out);  // standard alphabet

// Nothing if a letter is invalid, the padding is missing or misplaced, or bits after the last byte are set.
std::optional<std::string> DecodeBase64(std::string_view text, Base64Alphabet alphabet = Base64Alphabet::kStandard);

// For more lenient decoders: the six bits of each letter, kNoBase64 for other bytes.
using Base64Values = std::array<std::uint8_t, 256>;
inline constexpr std::uint8_t kNoBase64 = 0xff;
// The letters and digits, and these pairs in place of the last two.
consteval Base64Values MakeBase64Values(std::string_view last_pairs) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  Base64Values values{};
  values.fill(kNoBase64);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<std::uint8_t>(kLetters[i])] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t i = 0; i < last_pairs.size(); ++i) {
    values[static_cast<std::uint8_t>(last_pairs[i])] = static_cast<std::uint8_t>(kLetters.size() + i % 2);
  }
  return values;
}
inline constexpr Base64Values kAnyBase64 = MakeBase64Values("+/-_");

// The 24 bits of four letters; kNoBase64Group if one of them is foreign.
inline constexpr std::uint32_t kNoBase64Group = ~std::uint32_t{0};
inline std::uint32_t Base64Group(const Base64Values& values, const char* letters) {
  const auto value = [&](std::size_t i) { return std::uint32_t{values[static_cast<std::uint8_t>(letters[i])]}; };
  const std::uint32_t a = value(0), b = value(1), c = value(2), d = value(3);
  if (((a | b | c | d) & 0xc0) != 0) return kNoBase64Group;
  return a << 18 | b << 12 | c << 6 | d;
}

}  // namespace turnlog
