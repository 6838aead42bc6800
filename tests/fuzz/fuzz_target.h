#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace turnlog {

// What must hold for every input. A fuzz target has no other way to say no.
inline void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace turnlog
