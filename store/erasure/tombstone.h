// What stands in the place of an erased event or an erased replacement: a frame of the same length with the same
// header, and nothing of the payload but a few fields of the event in front of zeros. Also the list of such frames by
// which the log announces an erasure.
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
  FrameHeader header;  // type: kTombstone or kReplacementTombstone; the rest as it was, but for the hash
  std::string fields;  // see erased_facts.h

  std::uint64_t end() const { return position + FrameBytes(header.length); }
  // Facts that are longer than the payload are left out; false then.
  bool SetFacts(std::string new_facts);
};

// The frame that takes the place of `frame`.
Tombstone EraseFrame(const Frame& frame, std::string fields = {});

// As it goes to its place, with its checksum.
std::string EncodeFrame(const FrameCodec& codec, const Tombstone& erased);

// Payload of a kEraseIntent frame: everything that is needed to write these frames, again if need be.
std::string EncodeErasure(const std::vector<Tombstone>& frames);
// Nothing if it cannot be read, or names a place that is not before `position`, where it stands.
std::optional<std::vector<Tombstone>> DecodeErasure(std::string_view payload, std::uint64_t position);

}  // namespace turnlog
