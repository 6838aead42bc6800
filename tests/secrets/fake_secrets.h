// Texts that look like secrets, generated at run time so that the sources contain none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace turnlog {

inline constexpr std::string_view kDigits = "0123456789";
inline constexpr std::string_view kHex = "0123456789abcdef";
inline constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
inline constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
inline constexpr std::string_view kAlnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
inline constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view kWeb64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

class FakeSecrets {
 public:
  explicit FakeSecrets(std::uint32_t seed) : random_(seed) {}

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_()) % limit; }
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }
  // Letters and digits, and at least one of the latter; never a sign at either end.
  std::string Of(std::string_view letters, std::size_t count);
  std::string Bytes(std::size_t count);

 private:
  std::mt19937 random_;
};

// An independent encoder, not the one under test.
std::string EncodeBase64(std::string_view bytes, std::string_view letters = kBase64, bool padded = true);

}  // namespace turnlog
