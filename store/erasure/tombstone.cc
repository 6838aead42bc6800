#include "store/erasure/tombstone.h"

#include <utility>

#include "base/coding.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

// On disk: never renumber.
enum Flag : unsigned { kContinues = 1, kOfReplacement = 2 };
constexpr unsigned kCodecShift = 2;  // above the flags
constexpr std::uint64_t kAllFlags = (1U << (kCodecShift + 3)) - 1;

}  // namespace

bool Tombstone::SetFields(std::string new_fields) {
  const bool fit = new_fields.size() <= header.length;
  fields = fit ? std::move(new_fields) : std::string();
  return fit;
}

Tombstone EraseFrame(const Frame& frame, std::string fields) {
  Tombstone erased{.position = frame.position, .header = frame.header, .fields = {}};
  const bool replacement = frame.header.type == FrameType::kReplacement;
  erased.header.type = replacement ? FrameType::kReplacementTombstone : FrameType::kTombstone;
  erased.SetFields(std::move(fields));
  return erased;
}

std::string EncodeFrame(const FrameCodec& codec, const Tombstone& erased) {
  std::string payload = erased.fields;
  payload.resize(erased.header.length, '\0');
  std::string bytes;
  codec.Append(erased.header, payload, Hash64(payload), erased.position, bytes);
  return bytes;
}

std::string EncodeErasure(const std::vector<Tombstone>& frames) {
  std::string out;
  AppendVarint(out, frames.size());
  for (const auto& [position, header, fields] : frames) {
    AppendVarint(out, position / kFrameAlignment);
    AppendVarint(out, header.length);
    AppendVarint(out, static_cast<std::uint64_t>(header.kind));
    AppendVarint(out, (header.batch_continues ? kContinues : 0U) |
                          (header.type == FrameType::kReplacementTombstone ? kOfReplacement : 0U) |
                          unsigned{header.codec} << kCodecShift);
    AppendVarint(out, header.conversation);
    AppendVarint(out, header.durable_back);
    AppendVarint(out, header.seq);
    AppendText(out, fields);
  }
  return out;
}

std::optional<std::vector<Tombstone>> DecodeErasure(std::string_view payload, std::uint64_t position) {
  Decoder bytes{payload};
  std::vector<Tombstone> frames;
  for (std::uint64_t left = bytes.Varint(); left > 0 && bytes.ok; --left) {
    Tombstone& frame = frames.emplace_back();
    frame.position = bytes.Varint() * kFrameAlignment;
    frame.header.length = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.kind = static_cast<EventKind>(bytes.Varint());
    const std::uint64_t flags = bytes.Varint();
    frame.header.type = (flags & kOfReplacement) != 0 ? FrameType::kReplacementTombstone : FrameType::kTombstone;
    frame.header.batch_continues = (flags & kContinues) != 0;
    frame.header.codec = static_cast<std::uint8_t>(flags >> kCodecShift);
    frame.header.conversation = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.durable_back = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.seq = bytes.Varint();
    frame.fields = bytes.Text();
    bytes.ok = bytes.ok && flags <= kAllFlags && frame.header.length <= kMaxEventBytes && frame.header.seq <= kMaxSeq &&
               frame.position < position && frame.end() <= position && frame.fields.size() <= frame.header.length;
  }
  return bytes.ok ? std::optional(std::move(frames)) : std::nullopt;
}

}  // namespace turnlog
