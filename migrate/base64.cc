#include "migrate/base64.h"

#include <array>
#include <cstdint>

namespace turnlog {
namespace {

constexpr std::string_view kStandardLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafeLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kForeign = 0xff;

using LetterValues = std::array<std::uint8_t, 256>;

constexpr LetterValues Invert(std::string_view letters) {
  LetterValues values{};
  values.fill(kForeign);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    values[static_cast<std::uint8_t>(letters[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr LetterValues kStandardValues = Invert(kStandardLetters);
constexpr LetterValues kUrlSafeValues = Invert(kUrlSafeLetters);

std::uint32_t Byte(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

// Letters of which one is foreign have one of these bits.
constexpr std::uint32_t kForeignBits = 0xc0;

}  // namespace

void AppendBase64(std::string_view bytes, std::string& out) {
  std::size_t at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t bits = Byte(bytes, i) << 16 | Byte(bytes, i + 1) << 8 | Byte(bytes, i + 2);
    for (const int shift : {18, 12, 6, 0}) out[at++] = kStandardLetters[bits >> shift & 63];
  }
  if (i == bytes.size()) return;
  const bool two = bytes.size() - i == 2;
  const std::uint32_t bits = Byte(bytes, i) << 16 | (two ? Byte(bytes, i + 1) << 8 : 0);
  out[at++] = kStandardLetters[bits >> 18];
  out[at++] = kStandardLetters[bits >> 12 & 63];
  if (two) out[at++] = kStandardLetters[bits >> 6 & 63];
}

std::optional<std::string> DecodeBase64(std::string_view text, Base64Alphabet alphabet) {
  if (text.size() % 4 != 0) return std::nullopt;
  const LetterValues& values = alphabet == Base64Alphabet::kStandard ? kStandardValues : kUrlSafeValues;
  const auto value = [&](std::size_t i) { return std::uint32_t{values[static_cast<std::uint8_t>(text[i])]}; };
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string out(text.size() / 4 * 3, '\0');
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t missing = i + 4 == text.size() ? padding : 0;
    const std::uint32_t a = value(i), b = value(i + 1);
    const std::uint32_t c = missing == 2 ? 0 : value(i + 2), d = missing != 0 ? 0 : value(i + 3);
    if (((a | b | c | d) & kForeignBits) != 0) return std::nullopt;
    const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    if ((bits & ((1U << (8 * missing)) - 1)) != 0) return std::nullopt;  // behind the last byte
    for (const int shift : {16, 8, 0}) out[to++] = static_cast<char>(bits >> shift & 0xff);
  }
  out.resize(to - padding);
  return out;
}

}  // namespace turnlog
