#include "base/base64.h"

#include <algorithm>

namespace turnlog {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr Base64Values kStandardValues = MakeBase64Values("+/"), kUrlSafeValues = MakeBase64Values("-_");

std::uint32_t Byte(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

void AppendBytes(std::uint32_t bits, std::size_t count, std::string& out) {
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xff));
}

// The last group, which may be padded, with letters of zero bits in place of the padding.
bool AppendLastGroup(const Base64Values& values, std::string_view group, std::string& out) {
  const std::size_t padding = group.ends_with("==") ? 2 : group.ends_with('=') ? 1 : 0;
  std::array<char, 4> letters{};
  std::ranges::copy(group, letters.begin());
  std::fill(letters.end() - static_cast<std::ptrdiff_t>(padding), letters.end(), kLetters[0]);
  const auto bits = Base64Group(values, letters.data());
  if (!bits || (*bits & ((1U << (8 * padding)) - 1)) != 0) return false;  // after the last byte
  AppendBytes(*bits, 3 - padding, out);
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
  std::string out;
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return out;
  out.reserve(text.size() / 4 * 3);
  const std::size_t last = text.size() - 4;
  for (std::size_t at = 0; at < last; at += 4) {
    const auto bits = Base64Group(values, text.data() + at);
    if (!bits) return std::nullopt;
    AppendBytes(*bits, 3, out);
  }
  if (!AppendLastGroup(values, text.substr(last), out)) return std::nullopt;
  return out;
}

}  // namespace turnlog
