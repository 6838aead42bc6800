// The bytes of a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "turnlog/result.h"

namespace turnlog {

// Bytes that can be read more than once: a regular file, the copy of a pipe, memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` up to the end of the bytes.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) = 0;
  // Whether these are the bytes of the file as it is, and not decompressed ones.
  virtual bool is_raw() const { return true; }
  // Why they end early; empty: they do not, or their end was not read.
  virtual std::string damage() const { return {}; }
};

}  // namespace turnlog
