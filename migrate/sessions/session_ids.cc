#include "migrate/sessions/session_ids.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace turnlog {

std::string DerivedUuid(std::string_view text) {
  const Hash128 hash = HashId(text, 0);
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:x}{:03x}-{:012x}", hash.high >> 32, hash.high >> 16 & 0xFFFF,
                     hash.high & 0xFFF, 8 | (hash.low >> 60 & 3), hash.low >> 48 & 0xFFF, hash.low & 0xFFFF'FFFF'FFFF);
}

std::string MillisecondTime(Timestamp time) {
  constexpr std::int64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;
  const std::int64_t fraction = (time.nanos % kSecond + kSecond) % kSecond;
  std::string text = Timestamp{time.nanos - fraction}.ToRfc3339();
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, fraction / kMillisecond);
}

}  // namespace turnlog
