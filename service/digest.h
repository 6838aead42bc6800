// Random texts, and hashes that cannot be turned back: the only users of OpenSSL in the service.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnlog {

// Of the system's source of randomness, as hexadecimal digits.
std::string RandomHex(std::size_t bytes);
// One of `letters` at each position, all equally likely. REQUIRES: their number is a power of two.
std::string RandomText(std::size_t size, std::string_view letters);

// SHA-256, as hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
// HMAC with SHA-256, likewise.
std::string HmacSha256Hex(std::string_view key, std::string_view bytes);

}  // namespace turnlog
