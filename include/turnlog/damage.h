// Damage: bytes on disk that cannot be trusted. A value that readers report and skip, not a failure of the call.
#pragma once

#include <cstdint>
#include <string>

namespace turnlog {

struct Damage {
  std::string file;          // path relative to the store, empty when a record is missing
  std::uint64_t offset = 0;  // first bad byte within that file
  std::uint64_t length = 0;  // bytes that cannot be trusted; 0 = unknown
  std::string conversation;  // empty if unknown
  std::uint64_t seq = 0;     // 0 if unknown
  std::string reason;        // one line for people
};

// "log/000000000000.seg byte 4128 (96 bytes): checksum does not match [conversation "c", seq 7]"
std::string ToString(const Damage& damage);

}  // namespace turnlog
