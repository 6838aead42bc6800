// One record as it stands in a segment: a header of 32 bytes, the payload, zeros up to the next multiple of 8.
// docs/on_disk_format.md, "Frames", has the byte table and the reasons.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "turnlog/event.h"

namespace turnlog {

// On disk: never renumber.
enum class FrameType : std::uint8_t {
  kEvent = 1,              // payload: the encoded event
  kConversation = 2,       // payload: the conversation's id; gives it the number that its events carry
  kSeal = 3,               // nothing more in this segment; the log goes on in the next
  kErased = 4,             // was an event; its header as it was, of its payload what the index needs (erased_frame.h)
  kErase = 5,              // payload: which events are about to be overwritten, and what by
  kEraseDone = 6,          // all that was announced by kErase before this is on disk
  kReplacement = 7,        // payload: what an event says since it was redacted; counts if the erased event points here
  kErasedReplacement = 8,  // was a replacement
};

inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kFrameAlignment = 8;
// durable_back of a frame that claims nothing about what is durable.
inline constexpr std::uint32_t kNoDurableClaim = 0xFFFFFFFF;

struct FrameHeader {
  std::uint64_t hash = 0;
  std::uint32_t length = 0;  // of the payload
  FrameType type = FrameType::kEvent;
  EventKind kind = EventKind::kUnknown;  // of the event; 0 in frames that are not of one
  bool batch_continues = false;          // the next frame belongs to the same append: both count, or neither
  std::uint32_t conversation = 0;        // number, from 1
  std::uint32_t durable_back = kNoDurableClaim;
  std::uint64_t seq = 0;  // of the event; 0 likewise

  // Everything before this position was durable when the frame was written.
  std::optional<std::uint64_t> DurableClaim(std::uint64_t position) const;
};

constexpr std::uint64_t FrameBytes(std::uint64_t payload_length) {
  return (kFrameHeaderBytes + payload_length + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

// A position counts bytes from the beginning of the log, over all segments.
struct Frame {
  FrameHeader header;
  std::uint64_t position = 0;
  std::string_view payload;

  std::uint64_t end() const { return position + FrameBytes(header.length); }
};

// The end of the log, or of a part of it: behind a complete append.
struct LogMark {
  std::uint64_t end = 0;
  Position tail;  // of the last frame before it
};

// Makes and checks the checksum of a frame. `salt` differs from store to store, so that a frame of another store, or
// at another place, is never valid here.
class FrameCodec {
 public:
  explicit FrameCodec(std::uint64_t salt) : salt_(salt) {}

  // Appends header, payload and padding. `payload_hash` = Hash64(payload), made beforehand outside of any lock.
  void Append(FrameHeader header, std::string_view payload, std::uint64_t payload_hash, std::uint64_t position,
              std::string& out) const;

  // The header at the front of `bytes` (at least kFrameHeaderBytes), or nothing if it cannot be one. `room` is what
  // the segment has left from here on.
  static std::optional<FrameHeader> ReadHeader(std::string_view bytes, std::uint64_t room);

  // The whole frame at the front of `bytes`, or nothing unless length, checksum and place are right.
  std::optional<Frame> Read(std::string_view bytes, std::uint64_t room, std::uint64_t position) const;

  // Ties a tail's position to its frame. Leaves out checksum and payload, so that it outlives an erasure.
  std::uint64_t Check(const Frame& frame) const;

 private:
  std::uint64_t Checksum(std::string_view header, std::uint64_t payload_hash, std::uint64_t position) const;

  std::uint64_t salt_;
};

}  // namespace turnlog
