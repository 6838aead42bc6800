#include "migrate/gemini/project_hash.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace turnlog {

std::string GeminiProjectHash(std::string_view folder) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(folder.data()), folder.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace turnlog
