#include "migrate/gemini/project_hash.h"

#include <fmt/format.h>

#include "migrate/logged/sha256.h"

namespace turnlog {

std::string GeminiProjectHash(std::string_view folder) {
  std::string hex;
  for (const char byte : Sha256(folder)) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

}  // namespace turnlog
