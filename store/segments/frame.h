// One record as it is stored in a segment: a header of 32 bytes, the payload, zeros up to the next multiple of 8.
// docs/on_disk_format.md, "Frames", has the byte table and the reasons.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "store/segments/format_version.h"
#include "store/segments/segment_position.h"
#include "turnlog/event.h"

namespace turnlog {

// On disk: never renumber.
enum class FrameType : std::uint8_t {
  kEvent = 1,          // payload: the encoded event
  kConversation = 2,   // payload: the conversation's id; gives it the number that its events carry
  kSeal = 3,           // end of this segment; the log continues in the next
  kTombstone = 4,      // of an erased event: its header, and the fields that the index needs (tombstone_fields.h)
  kEraseIntent = 5,    // payload: the frames to be overwritten, and their new contents
  kEraseComplete = 6,  // all erasures announced by earlier kEraseIntent frames are on disk
  kReplacement = 7,    // payload: a redacted event's new contents; valid if the tombstone points here
  kReplacementTombstone = 8,  // of an erased replacement
  kClaim = 9,                 // header only: its durable claim confirms the last records of an idle log
};

inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kFrameAlignment = 8;
// durable_back of a frame without a durable claim.
inline constexpr std::uint32_t kNoDurableClaim = 0xFFFFFFFF;
// The codec of a payload, in the header; on disk, never renumber. See payload_codec.h.
inline constexpr std::uint8_t kNoCodec = 0;
inline constexpr std::uint8_t kLz4Codec = 1;
inline constexpr std::uint8_t kZstdCodec = 2;
inline constexpr std::uint8_t kLastCodec = kZstdCodec;
inline constexpr std::uint64_t kMaxSeq = (std::uint64_t{1} << 48) - 1;

struct FrameHeader {
  std::uint64_t hash = 0;
  std::uint32_t length = 0;  // of the payload
  FrameType type = FrameType::kEvent;
  EventKind kind = EventKind::kUnknown;  // of the event; 0 in other frames
  bool batch_continues = false;          // the next frame belongs to the same append: both are valid, or neither
  std::uint32_t conversation = 0;        // number, from 1
  std::uint32_t durable_back = kNoDurableClaim;
  std::uint64_t seq = 0;          // of the event; 0 in other frames
  std::uint8_t codec = kNoCodec;  // of the payload; a tombstone has that of the payload that it replaces

  // The frame is valid, but this version cannot interpret it.
  bool NeedsLaterVersion() const;
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

// The end of the log, or of a part of it: always the end of a complete append.
struct LogOffset {
  std::uint64_t end = 0;
  SegmentPosition tail;  // of the last frame before it
};

// Makes and checks frames of one format version. `salt` differs from store to store, so that a frame of another store,
// or at another position, is never valid here.
class FrameCodec {
 public:
  explicit FrameCodec(std::uint64_t salt, std::uint32_t version = kFormatVersion) : salt_(salt), version_(version) {}

  using HeaderBytes = std::array<char, kFrameHeaderBytes>;
  // What is before the payload. `payload_hash` = Hash64(payload), computed by the caller outside of any lock.
  // REQUIRES: header.seq <= kMaxSeq.
  HeaderBytes Header(FrameHeader header, std::string_view payload, std::uint64_t payload_hash,
                     std::uint64_t position) const;
  // Appends header, payload and padding.
  void Append(const FrameHeader& header, std::string_view payload, std::uint64_t payload_hash, std::uint64_t position,
              std::string& out) const;

  // The header at the front of `bytes`, or nothing if there is none. `room`: bytes left in the segment. In version 2 a
  // returned header is intact, even if its payload is damaged; in version 1 headers have no check of their own, and the
  // bytes only may be a header.
  std::optional<FrameHeader> ReadHeader(std::string_view bytes, std::uint64_t room, std::uint64_t position) const;
  bool checks_headers() const { return version_ >= 2; }

  // The whole frame at the front of `bytes`, or nothing unless length, checksum and position are right. The checksum
  // covers what ReadHeader checks.
  std::optional<Frame> Read(std::string_view bytes, std::uint64_t room, std::uint64_t position) const {
    std::optional<Frame> frame;
    Read(bytes, room, position, frame);
    return frame;
  }
  // The same in `frame`: where millions are read, copying each would be a twentieth of the work.
  void Read(std::string_view bytes, std::uint64_t room, std::uint64_t position, std::optional<Frame>& frame) const;
  // The same, with the header that ReadHeader returned.
  std::optional<Frame> ReadPayload(const FrameHeader& header, std::string_view bytes, std::uint64_t position) const;

  // The fingerprint that ties a tail's position to its frame. Does not cover checksum and payload, so that it survives
  // an erasure. The same for all format versions.
  std::uint64_t Check(const Frame& frame) const;

 private:
  std::optional<FrameHeader> Parse(std::string_view bytes, std::uint64_t room) const;
  std::uint64_t Checksum(std::string_view header, std::uint64_t payload_hash, std::uint64_t position) const;
  std::uint32_t HeaderCheck(std::string_view header, std::uint64_t position) const;

  std::uint64_t salt_;
  std::uint32_t version_;
};

}  // namespace turnlog
