#include "tests/secrets/fake_secrets.h"

namespace turnlog {
namespace {

bool IsAlnum(char letter) { return kAlnum.contains(letter); }

}  // namespace

std::string FakeSecrets::Of(std::string_view letters, std::size_t count) {
  std::string text(count, '\0');
  for (char& letter : text) letter = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  while (!IsAlnum(text.front())) text.front() = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  while (!IsAlnum(text.back())) text.back() = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  return text;
}

std::string FakeSecrets::Bytes(std::size_t count) {
  std::string text(count, '\0');
  for (char& byte : text) byte = static_cast<char>(Below(256));
  return text;
}

std::string EncodeBase64(std::string_view bytes, std::string_view letters, bool padded) {
  std::string bits;
  for (const char byte : bytes) {
    for (int i = 7; i >= 0; --i) bits.push_back(static_cast<char>('0' + (static_cast<unsigned char>(byte) >> i & 1)));
  }
  std::string out;
  while (bits.size() % 6 != 0) bits.push_back('0');
  for (std::size_t i = 0; i < bits.size(); i += 6) out.push_back(letters[std::stoul(bits.substr(i, 6), nullptr, 2)]);
  while (padded && out.size() % 4 != 0) out.push_back('=');
  return out;
}

}  // namespace turnlog
