#include "service/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <vector>

namespace turnlog {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string ToHex(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// The system's source cannot fail once it is seeded, which it is before any service starts.
std::vector<unsigned char> RandomBytes(std::size_t size) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t have = 0; have < size;) {
    const ssize_t got = ::getrandom(bytes.data() + have, size - have, 0);
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

std::string RandomHex(std::size_t bytes) { return ToHex(RandomBytes(bytes).data(), bytes); }

std::string RandomText(std::size_t size, std::string_view letters) {
  std::string text;
  for (const unsigned char byte : RandomBytes(size)) text.push_back(letters[byte % letters.size()]);
  return text;
}

std::string Sha256Hex(std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) return {};
  return ToHex(digest.data(), size);
}

std::string HmacSha256Hex(std::string_view key, std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data, bytes.size(), digest.data(), &size) ==
      nullptr) {
    return {};
  }
  return ToHex(digest.data(), size);
}

}  // namespace turnlog
