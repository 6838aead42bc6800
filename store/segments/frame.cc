#include "store/segments/frame.h"

#include <algorithm>
#include <cstring>

#include "base/coding.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

using HeaderBytes = std::array<char, kFrameHeaderBytes>;

constexpr std::size_t kHash = 0;    // offset in the header, in all versions
constexpr std::size_t kHashed = 8;  // the checksum covers the header from this offset
constexpr std::uint8_t kBatchContinues = 1;

namespace v1 {

constexpr std::size_t kLength = 8;
constexpr std::size_t kType = 12;
constexpr std::size_t kKind = 13;
constexpr std::size_t kFlags = 14;
constexpr std::size_t kConversation = 16;
constexpr std::size_t kDurableBack = 20;
constexpr std::size_t kSeq = 24;

HeaderBytes Encode(const FrameHeader& header) {
  HeaderBytes bytes{};
  StoreLittle(bytes.data() + kLength, header.length);
  StoreLittle(bytes.data() + kType, static_cast<std::uint8_t>(header.type));
  StoreLittle(bytes.data() + kKind, static_cast<std::uint8_t>(header.kind));
  StoreLittle(bytes.data() + kFlags, std::uint16_t{header.batch_continues ? kBatchContinues : std::uint8_t{0}});
  StoreLittle(bytes.data() + kConversation, header.conversation);
  StoreLittle(bytes.data() + kDurableBack, header.durable_back);
  StoreLittle(bytes.data() + kSeq, header.seq);
  return bytes;
}

std::optional<FrameHeader> Decode(const char* bytes) {
  const auto type = LoadLittle<std::uint8_t>(bytes + kType);
  const auto flags = LoadLittle<std::uint16_t>(bytes + kFlags);
  if (type < 1 || type > static_cast<std::uint8_t>(FrameType::kReplacementTombstone) || flags > kBatchContinues) {
    return std::nullopt;
  }
  return FrameHeader{.hash = LoadLittle<std::uint64_t>(bytes + kHash),
                     .length = LoadLittle<std::uint32_t>(bytes + kLength),
                     .type = static_cast<FrameType>(type),
                     .kind = static_cast<EventKind>(LoadLittle<std::uint8_t>(bytes + kKind)),
                     .batch_continues = flags != 0,
                     .conversation = LoadLittle<std::uint32_t>(bytes + kConversation),
                     .durable_back = LoadLittle<std::uint32_t>(bytes + kDurableBack),
                     .seq = LoadLittle<std::uint64_t>(bytes + kSeq)};
}

}  // namespace v1

namespace v2 {

constexpr std::size_t kHeaderCheck = 8;
constexpr std::size_t kChecked = 12;  // the header check covers the header from this offset
constexpr std::size_t kLength = 12;
constexpr std::size_t kConversation = 16;
constexpr std::size_t kDurableBack = 20;
constexpr std::size_t kSeqLow = 24;
constexpr std::size_t kSeqHigh = 28;
constexpr std::size_t kKind = 30;
constexpr std::size_t kTypeAndFlags = 31;

// The upper half of kTypeAndFlags: kBatchContinues, then three bits of codec.
constexpr unsigned kTypeBits = 4;
constexpr unsigned kCodecShift = 1;

HeaderBytes Encode(const FrameHeader& header) {
  HeaderBytes bytes{};
  const unsigned flags = (header.batch_continues ? kBatchContinues : 0U) | unsigned{header.codec} << kCodecShift;
  StoreLittle(bytes.data() + kLength, header.length);
  StoreLittle(bytes.data() + kConversation, header.conversation);
  StoreLittle(bytes.data() + kDurableBack, header.durable_back);
  StoreLittle(bytes.data() + kSeqLow, static_cast<std::uint32_t>(header.seq));
  StoreLittle(bytes.data() + kSeqHigh, static_cast<std::uint16_t>(header.seq >> 32));
  StoreLittle(bytes.data() + kKind, static_cast<std::uint8_t>(header.kind));
  StoreLittle(bytes.data() + kTypeAndFlags,
              static_cast<std::uint8_t>(static_cast<unsigned>(header.type) | flags << kTypeBits));
  return bytes;
}

std::optional<FrameHeader> Decode(const char* bytes) {
  const unsigned type_and_flags = LoadLittle<std::uint8_t>(bytes + kTypeAndFlags);
  const unsigned type = type_and_flags & ((1U << kTypeBits) - 1), flags = type_and_flags >> kTypeBits;
  if (type == 0) return std::nullopt;
  return FrameHeader{.hash = LoadLittle<std::uint64_t>(bytes + kHash),
                     .length = LoadLittle<std::uint32_t>(bytes + kLength),
                     .type = static_cast<FrameType>(type),
                     .kind = static_cast<EventKind>(LoadLittle<std::uint8_t>(bytes + kKind)),
                     .batch_continues = (flags & kBatchContinues) != 0,
                     .conversation = LoadLittle<std::uint32_t>(bytes + kConversation),
                     .durable_back = LoadLittle<std::uint32_t>(bytes + kDurableBack),
                     .seq = LoadLittle<std::uint32_t>(bytes + kSeqLow) |
                            std::uint64_t{LoadLittle<std::uint16_t>(bytes + kSeqHigh)} << 32,
                     .codec = static_cast<std::uint8_t>(flags >> kCodecShift)};
}

}  // namespace v2

}  // namespace

bool FrameHeader::NeedsLaterVersion() const {
  const bool of_event = type == FrameType::kEvent || type == FrameType::kReplacement || type == FrameType::kTombstone ||
                        type == FrameType::kReplacementTombstone;
  return type > FrameType::kClaim || codec > (of_event ? kLastCodec : kNoCodec);
}

std::optional<std::uint64_t> FrameHeader::DurableClaim(std::uint64_t position) const {
  if (durable_back == kNoDurableClaim) return std::nullopt;
  const std::uint64_t back = std::uint64_t{durable_back} * kFrameAlignment;
  return back > position ? std::optional<std::uint64_t>() : position - back;
}

std::uint64_t FrameCodec::Checksum(std::string_view header, std::uint64_t payload_hash, std::uint64_t position) const {
  // header[8..32), the payload's hash, the position: 40 bytes, so that the payload is hashed outside of the commit
  // lock.
  std::array<char, kFrameHeaderBytes - kHashed + 16> bytes;
  std::copy(header.begin() + kHashed, header.begin() + kFrameHeaderBytes, bytes.begin());
  StoreLittle(bytes.data() + 24, payload_hash);
  StoreLittle(bytes.data() + 32, position);
  return HashId({bytes.data(), bytes.size()}, salt_).low;
}

std::uint32_t FrameCodec::HeaderCheck(std::string_view header, std::uint64_t position) const {
  std::array<char, kFrameHeaderBytes - v2::kChecked + 8> bytes;
  std::copy(header.begin() + v2::kChecked, header.begin() + kFrameHeaderBytes, bytes.begin());
  StoreLittle(bytes.data() + 20, position);
  return static_cast<std::uint32_t>(Hash64({bytes.data(), bytes.size()}, salt_));
}

FrameCodec::HeaderBytes FrameCodec::Header(FrameHeader header, std::string_view payload, std::uint64_t payload_hash,
                                           std::uint64_t position) const {
  header.length = static_cast<std::uint32_t>(payload.size());
  HeaderBytes bytes = checks_headers() ? v2::Encode(header) : v1::Encode(header);
  const std::string_view view(bytes.data(), bytes.size());
  if (checks_headers()) StoreLittle(bytes.data() + v2::kHeaderCheck, HeaderCheck(view, position));
  StoreLittle(bytes.data() + kHash, Checksum(view, payload_hash, position));
  return bytes;
}

void FrameCodec::Append(const FrameHeader& header, std::string_view payload, std::uint64_t payload_hash,
                        std::uint64_t position, std::string& out) const {
  const HeaderBytes bytes = Header(header, payload, payload_hash, position);
  const std::size_t end = out.size() + FrameBytes(payload.size());
  if (end > out.capacity()) out.reserve(std::max(end, 2 * out.capacity()));  // once, with the padding
  const std::size_t begin = out.size();
  out.resize_and_overwrite(end, [&](char* all, std::size_t) {
    char* const frame = all + begin;
    std::memcpy(frame, bytes.data(), kFrameHeaderBytes);
    payload.copy(frame + kFrameHeaderBytes, payload.size());
    std::fill(frame + kFrameHeaderBytes + payload.size(), all + end, '\0');
    return end;
  });
}

std::optional<FrameHeader> FrameCodec::Parse(std::string_view bytes, std::uint64_t room) const {
  if (bytes.size() < kFrameHeaderBytes) return std::nullopt;
  const auto header = checks_headers() ? v2::Decode(bytes.data()) : v1::Decode(bytes.data());
  if (!header || header->length > kMaxEventBytes || FrameBytes(header->length) > room) return std::nullopt;
  return header;
}

std::optional<FrameHeader> FrameCodec::ReadHeader(std::string_view bytes, std::uint64_t room,
                                                  std::uint64_t position) const {
  const auto header = Parse(bytes, room);
  if (!header) return std::nullopt;
  if (checks_headers() && LoadLittle<std::uint32_t>(bytes.data() + v2::kHeaderCheck) != HeaderCheck(bytes, position)) {
    return std::nullopt;
  }
  return header;
}

// Flattened, because every record that is read goes through it.
[[gnu::flatten]] void FrameCodec::Read(std::string_view bytes, std::uint64_t room, std::uint64_t position,
                                       std::optional<Frame>& frame) const {
  const auto header = Parse(bytes, room);
  frame = header ? ReadPayload(*header, bytes, position) : std::nullopt;
}

std::optional<Frame> FrameCodec::ReadPayload(const FrameHeader& header, std::string_view bytes,
                                             std::uint64_t position) const {
  if (bytes.size() < FrameBytes(header.length)) return std::nullopt;
  const std::string_view payload = bytes.substr(kFrameHeaderBytes, header.length);
  if (Checksum(bytes, Hash64(payload), position) != header.hash) return std::nullopt;
  return Frame{header, position, payload};
}

// Covers the header as version 1 encodes it: existing positions stay valid when a store is upgraded.
std::uint64_t FrameCodec::Check(const Frame& frame) const {
  FrameHeader header = frame.header;
  header.type = FrameType::kEvent;
  const HeaderBytes bytes = v1::Encode(header);
  return Checksum({bytes.data(), bytes.size()}, 0, frame.position);
}

}  // namespace turnlog
