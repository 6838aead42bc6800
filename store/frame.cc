#include "store/frame.h"

#include <algorithm>

#include "base/coding.h"

namespace turnlog {
namespace {

// Places within the header.
constexpr std::size_t kHash = 0;
constexpr std::size_t kLength = 8;
constexpr std::size_t kType = 12;
constexpr std::size_t kKind = 13;
constexpr std::size_t kFlags = 14;
constexpr std::size_t kConversation = 16;
constexpr std::size_t kDurableBack = 20;
constexpr std::size_t kSeq = 24;

constexpr std::uint16_t kBatchContinues = 1;

using HeaderBytes = std::array<char, kFrameHeaderBytes>;

HeaderBytes Encode(const FrameHeader& header) {
  HeaderBytes bytes{};
  StoreLittle(bytes.data() + kHash, header.hash);
  StoreLittle(bytes.data() + kLength, header.length);
  StoreLittle(bytes.data() + kType, static_cast<std::uint8_t>(header.type));
  StoreLittle(bytes.data() + kKind, static_cast<std::uint8_t>(header.kind));
  StoreLittle(bytes.data() + kFlags, header.batch_continues ? kBatchContinues : std::uint16_t{0});
  StoreLittle(bytes.data() + kConversation, header.conversation);
  StoreLittle(bytes.data() + kDurableBack, header.durable_back);
  StoreLittle(bytes.data() + kSeq, header.seq);
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> FrameHeader::DurableClaim(std::uint64_t position) const {
  if (durable_back == kNoDurableClaim) return std::nullopt;
  const std::uint64_t back = std::uint64_t{durable_back} * kFrameAlignment;
  return back > position ? std::optional<std::uint64_t>() : position - back;
}

std::uint64_t FrameCodec::Checksum(std::string_view header, std::uint64_t payload_hash, std::uint64_t position) const {
  // header[8..32), the payload's hash, the place: 40 bytes, so that the payload is hashed outside of the commit lock.
  std::array<char, kFrameHeaderBytes - kLength + 16> bytes;
  std::copy(header.begin() + kLength, header.begin() + kFrameHeaderBytes, bytes.begin());
  StoreLittle(bytes.data() + 24, payload_hash);
  StoreLittle(bytes.data() + 32, position);
  return HashId({bytes.data(), bytes.size()}, salt_).low;
}

void FrameCodec::Append(FrameHeader header, std::string_view payload, std::uint64_t payload_hash,
                        std::uint64_t position, std::string& out) const {
  header.length = static_cast<std::uint32_t>(payload.size());
  HeaderBytes bytes = Encode(header);
  StoreLittle(bytes.data() + kHash, Checksum({bytes.data(), bytes.size()}, payload_hash, position));
  const std::size_t end = out.size() + FrameBytes(payload.size());
  out.append(bytes.data(), bytes.size());
  out.append(payload);
  out.resize(end, '\0');
}

std::optional<FrameHeader> FrameCodec::ReadHeader(std::string_view bytes, std::uint64_t room) {
  if (bytes.size() < kFrameHeaderBytes) return std::nullopt;
  FrameHeader header;
  header.hash = LoadLittle<std::uint64_t>(bytes.data() + kHash);
  header.length = LoadLittle<std::uint32_t>(bytes.data() + kLength);
  const auto type = LoadLittle<std::uint8_t>(bytes.data() + kType);
  const auto flags = LoadLittle<std::uint16_t>(bytes.data() + kFlags);
  if (type < 1 || type > static_cast<std::uint8_t>(FrameType::kErasedReplacement)) return std::nullopt;
  if (flags > kBatchContinues || FrameBytes(header.length) > room) return std::nullopt;
  header.type = static_cast<FrameType>(type);
  header.kind = static_cast<EventKind>(LoadLittle<std::uint8_t>(bytes.data() + kKind));
  header.batch_continues = flags != 0;
  header.conversation = LoadLittle<std::uint32_t>(bytes.data() + kConversation);
  header.durable_back = LoadLittle<std::uint32_t>(bytes.data() + kDurableBack);
  header.seq = LoadLittle<std::uint64_t>(bytes.data() + kSeq);
  return header;
}

std::optional<Frame> FrameCodec::Read(std::string_view bytes, std::uint64_t room, std::uint64_t position) const {
  const auto header = ReadHeader(bytes, room);
  if (!header || bytes.size() < FrameBytes(header->length)) return std::nullopt;
  const std::string_view payload = bytes.substr(kFrameHeaderBytes, header->length);
  if (Checksum(bytes, Hash64(payload), position) != header->hash) return std::nullopt;
  return Frame{*header, position, payload};
}

std::uint64_t FrameCodec::Check(const Frame& frame) const {
  FrameHeader header = frame.header;
  header.type = FrameType::kEvent;
  const HeaderBytes bytes = Encode(header);
  return Checksum({bytes.data(), bytes.size()}, 0, frame.position);
}

}  // namespace turnlog
