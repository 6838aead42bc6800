// The payloads of encoded events as they are stored: compressed, if that makes them smaller. Made before any lock is
// taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/wiped_memory.h"
#include "log/prepared_events.h"
#include "store/segments/frame.h"
#include "turnlog/segment_log.h"

namespace turnlog {

class StoredPayloads {
 public:
  struct One {
    std::string_view payload;
    std::uint64_t hash = 0;  // Hash64 of the payload
    std::uint8_t codec = kNoCodec;
  };

  StoredPayloads() = default;
  // `events` must outlive it, at the same address.
  StoredPayloads(const PreparedEvents& events, Compression compression);

  const One& operator[](std::size_t event) const { return all_[event]; }

  // The memory of the compressed ones, for someone who keeps it instead.
  WipedMemory TakeMemory() { return std::move(compressed_); }

 private:
  WipedMemory compressed_;
  std::vector<One> all_;
};

}  // namespace turnlog
