#include "base/base64.h"

#include <algorithm>

#include "base/secret_string.h"

namespace turnlog {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr Base64Values kStandardValues = MakeBase64Values("+/"), kUrlSafeValues = MakeBase64Values("-_");

std::uint32_t Byte(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

void PutBytes(std::uint32_t bits, char* out) {
  for (const int shift : {16, 8, 0}) *out++ = static_cast<char>(bits >> shift & 0xff);
}

std::size_t PaddingOf(std::string_view text) { return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0; }

// The last group, with letters of zero bits in place of the padding.
bool DecodeLastGroup(const Base64Values& values, std::string_view group, std::size_t padding, char* out) {
  std::array<char, 4> letters{};
  std::ranges::copy(group, letters.begin());
  std::fill(letters.end() - static_cast<std::ptrdiff_t>(padding), letters.end(), kLetters[0]);
  const std::uint32_t bits = Base64Group(values, letters.data());
  if (bits == kNoBase64Group || (bits & ((1U << (8 * padding)) - 1)) != 0) return false;  // after the last byte
  PutBytes(bits, out);
  return true;
}

}  // namespace

void AppendBase64(std::string_view bytes, std::string& out) {
  std::size_t at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t bits = Byte(bytes, i) << 16 | Byte(bytes, i + 1) << 8 | Byte(bytes, i + 2);
    for (const int shift : {18, 12, 6, 0}) out[at++] = kLetters[bits >> shift & 63];
  }
  if (i == bytes.size()) return;
  const bool two = bytes.size() - i == 2;
  const std::uint32_t bits = Byte(bytes, i) << 16 | (two ? Byte(bytes, i + 1) << 8 : 0);
  out[at++] = kLetters[bits >> 18];
  out[at++] = kLetters[bits >> 12 & 63];
  if (two) out[at++] = kLetters[bits >> 6 & 63];
}

std::optional<std::string> DecodeBase64(std::string_view text, Base64Alphabet alphabet) {
  const Base64Values& values = alphabet == Base64Alphabet::kStandard ? kStandardValues : kUrlSafeValues;
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::string();
  std::string out(text.size() / 4 * 3, '\0');
  const std::size_t last = text.size() - 4, padding = PaddingOf(text);
  char* to = out.data();
  for (std::size_t at = 0; at < last; at += 4, to += 3) {
    const std::uint32_t bits = Base64Group(values, text.data() + at);
    if (bits == kNoBase64Group) return Wipe(out), std::nullopt;
    PutBytes(bits, to);
  }
  if (!DecodeLastGroup(values, text.substr(last), padding, to)) return Wipe(out), std::nullopt;
  out.erase(out.size() - padding);
  return out;
}

}  // namespace turnlog
