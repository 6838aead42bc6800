#include "migrate/logged/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace turnlog {

std::string Sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return {digest.begin(), digest.end()};
}

}  // namespace turnlog
