// The messages from killed_writer to its test.
#pragma once

#include <cstdint>

namespace turnlog {

// Everything up to `seq` of the conversation is acknowledged, at least as buffered.
struct KilledWriterAck {
  std::uint32_t conversation = 0;
  std::uint32_t unused = 0;
  std::uint64_t seq = 0;
};

}  // namespace turnlog
