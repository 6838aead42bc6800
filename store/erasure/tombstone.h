// The frame that replaces an erased event or an erased replacement: same length, same header, and a
// payload of a few indexed fields followed by zeros. Also the list of such frames in an erase
// intent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/segments/frame.h"

namespace turnlog {

struct Tombstone {
  std::uint64_t position = 0;
  FrameHeader header;  // as it was, except for the type (kTombstone, kReplacementTombstone) and the hash
  std::string fields;  // see tombstone_fields.h

  std::uint64_t end() const { return position + FrameBytes(header.length); }
  // False, and no fields, if they are longer than the payload.
  bool SetFields(std::string new_fields);
};

// The tombstone of `frame`.
Tombstone EraseFrame(const Frame& frame, std::string fields = {});

// The bytes to write at its position, checksum included.
std::string EncodeFrame(const FrameCodec& codec, const Tombstone& erased);

// Payload of a kEraseIntent frame: everything needed to write these frames, possibly more than once.
std::string EncodeErasure(const std::vector<Tombstone>& frames);
// Nothing if it cannot be decoded, or if a frame in it is not before `position`, where the intent itself begins.
std::optional<std::vector<Tombstone>> DecodeErasure(std::string_view payload, std::uint64_t position);

}  // namespace turnlog
