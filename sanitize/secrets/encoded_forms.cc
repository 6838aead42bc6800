#include "sanitize/secrets/encoded_forms.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/unicode.h"
#include "base/utf8.h"

namespace turnlog {
namespace {

constexpr std::string_view kLowerHex = "0123456789abcdef", kUpperHex = "0123456789ABCDEF";

bool IsAscii(std::string_view text) {
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) >= 0x80) return false;
  }
  return true;
}

void AppendHex(char letter, std::string_view digits, SecretString& out) {
  const auto byte = static_cast<unsigned char>(letter);
  out.Append(digits[byte >> 4]);
  out.Append(digits[byte & 15]);
}

SecretString PlusForSpaces(std::string_view value) {
  SecretString plus;
  for (const char letter : value) plus.Append(letter == ' ' ? '+' : letter);
  return plus;
}

// `separator` comes before each group of `group` bytes but the first one, which has `first` bytes.
SecretString InHex(std::string_view value, std::string_view digits, std::string_view separator, std::size_t group,
                   std::size_t first) {
  SecretString hex;
  hex.Reserve(value.size() * (2 + separator.size()));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i >= first && (i - first) % group == 0) hex.Append(separator);
    AppendHex(value[i], digits, hex);
  }
  return hex;
}

void AddHex(std::string_view value, std::vector<SecretString>& forms) {
  for (const std::string_view digits : {kLowerHex, kUpperHex}) {
    for (const std::string_view separator : {"", " ", ":", ", ", ", 0x"})
      forms.push_back(InHex(value, digits, separator, 1, 1));
    for (const std::size_t first : {std::size_t{1}, std::size_t{2}})  // xxd
      forms.push_back(InHex(value, digits, " ", 2, first));
  }
}

// Empty if the value is not UTF-8.
SecretString InUtf16(std::string_view value, bool big_endian) {
  SecretString out;
  const auto append = [&](std::uint32_t unit) {
    const auto high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    out.Append(big_endian ? high : low);
    out.Append(big_endian ? low : high);
  };
  for (std::size_t at = 0; at < value.size();) {
    const auto code = DecodeUtf8(value.substr(at));
    if (!code) return {};
    at += code->bytes;
    const auto point = static_cast<std::uint32_t>(code->value);
    if (point < 0x10000) {
      append(point);
    } else {
      append(0xd800 + ((point - 0x10000) >> 10));
      append(0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }
  return out;
}

SecretString QuotedPrintable(std::string_view value) {
  SecretString out;
  for (const char letter : value) {
    if (letter != '=' && static_cast<unsigned char>(letter) < 0x80) {
      out.Append(letter);
    } else {
      out.Append('=');
      AppendHex(letter, kUpperHex, out);
    }
  }
  return out;
}

}  // namespace

std::vector<SecretString> TextForms(std::string_view value) {
  std::vector<SecretString> forms;
  if (value.size() > kMaxEncodedValue) return forms;
  forms.push_back(PlusForSpaces(value));
  forms.push_back(QuotedPrintable(value));
  if (!IsAscii(value)) {
    for (const NormalForm form : {NormalForm::kComposed, NormalForm::kDecomposed})
      forms.push_back(Normalize(value, form));
  }
  std::erase_if(forms, [&](const SecretString& form) { return form.empty() || form.view() == value; });
  return forms;
}

std::vector<SecretString> ByteForms(std::string_view value) {
  std::vector<SecretString> forms;
  if (value.size() > kMaxEncodedValue) return forms;
  for (const bool big_endian : {false, true}) forms.push_back(InUtf16(value, big_endian));
  AddHex(value, forms);
  std::erase_if(forms, [](const SecretString& form) { return form.empty(); });
  return forms;
}

}  // namespace turnlog
