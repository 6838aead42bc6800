// What killed_writer says to the test that will kill it.
#pragma once

#include <cstdint>

namespace turnlog {

// Everything up to `seq` of the conversation is acknowledged, as surviving the process at least.
struct KilledWriterAck {
  std::uint32_t conversation = 0;
  std::uint32_t unused = 0;
  std::uint64_t seq = 0;
};

}  // namespace turnlog
