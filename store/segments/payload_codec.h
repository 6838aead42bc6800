// Payloads compressed one by one, so that each can be erased alone; docs/on_disk_format.md, "Compressed payloads".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/aligned_buffer.h"
#include "store/segments/frame.h"
#include "turnlog/result.h"
#include "turnlog/segment_log.h"

namespace turnlog {

struct PackedPayload {
  std::uint8_t codec = kNoCodec;
  std::size_t length = 0;
  std::size_t touched = 0;  // no byte of the memory beyond this has been written to
};

// Compresses one payload after another. One thread. What it kept of their contents is overwritten when it is destroyed.
class PayloadPacker {
 public:
  explicit PayloadPacker(Compression compression);
  ~PayloadPacker();
  PayloadPacker(const PayloadPacker&) = delete;
  PayloadPacker& operator=(const PayloadPacker&) = delete;

  // Writes the compressed payload to the front of `out`, and says how long it is: `least` bytes at least. kNoCodec: it
  // would not be smaller. REQUIRES: `out` is as long as the payload.
  PackedPayload Pack(std::string_view payload, std::size_t least, std::span<char> out);

 private:
  struct Contexts;

  const Compression compression_;
  std::unique_ptr<Contexts> contexts_;
};

// The length of the frame's payload before it was compressed, as the payload states it; if it cannot be read, its
// length as it is.
std::uint64_t UnpackedLength(const Frame& frame);

// Gives back payloads as they were before they were compressed. One thread at a time.
class PayloadUnpacker {
 public:
  // The frame's payload itself, or decompressed: then valid until the next call. kCorruption: the payload cannot be
  // decompressed, whatever its checksum says; kUnsupportedVersion: it was compressed with a later dictionary.
  Result<std::string_view> Unpack(const Frame& frame);

 private:
  AlignedBuffer buffer_;
};

}  // namespace turnlog
