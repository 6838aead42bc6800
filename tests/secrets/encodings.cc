#include "tests/secrets/encodings.h"

#include <fmt/format.h>

#include <cstdlib>

namespace turnlog {
namespace {

// The code point of the UTF-8 character at text[at], and its length.
std::pair<std::uint32_t, std::size_t> CharacterAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xe0) return {(byte(0) & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (byte(0) < 0xf0) return {(byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(byte(0) & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4};
}

std::string CodeUnit(std::uint32_t unit, FakeSecrets& fake) {
  return fake.OneIn(2) ? fmt::format("\\u{:04x}", unit) : fmt::format("\\u{:04X}", unit);
}

std::string EscapedCharacter(std::uint32_t code, FakeSecrets& fake) {
  constexpr std::string_view kSpecial = "\"\\/\b\f\n\r\t", kNames = "\"\\/bfnrt";
  const std::size_t name = code < 0x80 ? kSpecial.find(static_cast<char>(code)) : std::string_view::npos;
  if (name != std::string_view::npos && !fake.OneIn(3)) return {'\\', kNames[name]};
  if (code < 0x10000) return CodeUnit(code, fake);
  return CodeUnit(0xd800 + ((code - 0x10000) >> 10), fake) + CodeUnit(0xdc00 + ((code - 0x10000) & 0x3ff), fake);
}

std::string DecodeBase64Letters(std::string_view letters) {
  std::string bits, out;
  for (char letter : letters) {
    if (letter == '-') letter = '+';
    if (letter == '_') letter = '/';
    const std::size_t value = kBase64.find(letter);
    for (int i = 5; i >= 0; --i) bits.push_back(static_cast<char>('0' + (value >> i & 1)));
  }
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8)
    out.push_back(static_cast<char>(std::stoul(bits.substr(i, 8), nullptr, 2)));
  return out;
}

std::string Utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
  if (code < 0x10000) return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
  return {byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f)),
          byte(0x80 | (code & 0x3f))};
}

bool IsHexAt(std::string_view text, std::size_t at, std::size_t count) {
  return at + count <= text.size() &&
         text.substr(at, count).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::uint32_t HexAt(std::string_view text, std::size_t at, std::size_t count) {
  return static_cast<std::uint32_t>(std::strtoul(std::string(text.substr(at, count)).c_str(), nullptr, 16));
}

std::string ReadJson(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out.push_back(text[at++]);
    } else if (text[at + 1] == 'u' && IsHexAt(text, at + 2, 4)) {
      std::uint32_t code = HexAt(text, at + 2, 4);
      at += 6;
      if (code >> 10 == 0x36 && text.substr(at).starts_with("\\u") && IsHexAt(text, at + 2, 4)) {
        code = 0x10000 + ((code - 0xd800) << 10) + (HexAt(text, at + 2, 4) - 0xdc00);
        at += 6;
      }
      out += Utf8(code);
    } else {
      const std::size_t name = std::string_view("bfnrt").find(text[at + 1]);
      out.push_back(name == std::string_view::npos ? text[at + 1] : "\b\f\n\r\t"[name]);
      at += 2;
    }
  }
  return out;
}

std::string ReadPercent(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '%' && IsHexAt(text, at + 1, 2)) {
      out.push_back(static_cast<char>(HexAt(text, at + 1, 2)));
      at += 3;
    } else {
      out.push_back(text[at++]);
    }
  }
  return out;
}

}  // namespace

std::string EscapeJson(std::string_view text, FakeSecrets& fake, std::uint32_t one_in) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, length] = CharacterAt(text, at);
    const bool must = code < 0x20 || code == '"' || code == '\\';
    out += must || fake.OneIn(one_in) ? EscapedCharacter(code, fake) : std::string(text.substr(at, length));
    at += length;
  }
  return out;
}

std::string EscapePercent(std::string_view text, FakeSecrets& fake, std::uint32_t one_in) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, CharacterAt(text, at).second);
    const bool escaped = character == "%" || fake.OneIn(one_in);
    for (const char letter : character) {
      const auto byte = static_cast<unsigned char>(letter);
      out += !escaped        ? std::string(1, letter)
             : fake.OneIn(2) ? fmt::format("%{:02x}", byte)
                             : fmt::format("%{:02X}", byte);
    }
    at += character.size();
  }
  return out;
}

std::string EncodeSomewhereInBase64(std::string_view text, FakeSecrets& fake) {
  constexpr std::string_view kUrlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // No backslash right before it: that would make an escape of its first letter.
  const std::string bytes = fake.Bytes(fake.Below(5)) + "\x01" + std::string(text) + "\x01" + fake.Bytes(fake.Below(5));
  return EncodeBase64(bytes, fake.OneIn(2) ? kBase64 : kUrlSafe, fake.OneIn(2));
}

std::string EncodeSomehow(std::string_view text, FakeSecrets& fake) {
  const std::uint32_t one_in = 1 + fake.Below(4);
  switch (fake.Below(4)) {
    case 0:
      return EscapeJson(text, fake, one_in);
    case 1:
      return EscapePercent(text, fake, one_in);
    case 2:
      return EncodeSomewhereInBase64(text, fake);
    default:
      return std::string(text);
  }
}

bool Says(std::string_view text, std::string_view value, int depth) {
  if (text.contains(value)) return true;
  if (depth == 0) return false;
  if (const std::string read = ReadJson(text); read != text && Says(read, value, depth - 1)) return true;
  if (const std::string read = ReadPercent(text); read != text && Says(read, value, depth - 1)) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(std::string(kBase64) + "-_", at), text.size());
    for (std::size_t begin = at; begin < std::min(at + 4, end); ++begin) {
      if (Says(DecodeBase64Letters(text.substr(begin, end - begin)), value, depth - 1)) return true;
    }
    at = end + 1;
  }
  return false;
}

}  // namespace turnlog
