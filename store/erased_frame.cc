#include "store/erased_frame.h"

#include <utility>

#include "base/coding.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

// On disk: never renumber.
enum Flag : unsigned { kContinues = 1, kOfReplacement = 2 };

}  // namespace

bool ErasedFrame::SetFacts(std::string new_facts) {
  const bool fit = new_facts.size() <= header.length;
  facts = fit ? std::move(new_facts) : std::string();
  return fit;
}

ErasedFrame EraseFrame(const Frame& frame, std::string facts) {
  ErasedFrame erased{.position = frame.position, .header = frame.header, .facts = {}};
  const bool replacement = frame.header.type == FrameType::kReplacement;
  erased.header.type = replacement ? FrameType::kErasedReplacement : FrameType::kErased;
  erased.SetFacts(std::move(facts));
  return erased;
}

std::string EncodeFrame(const FrameCodec& codec, const ErasedFrame& erased) {
  std::string payload = erased.facts;
  payload.resize(erased.header.length, '\0');
  std::string bytes;
  codec.Append(erased.header, payload, Hash64(payload), erased.position, bytes);
  return bytes;
}

std::string EncodeErasure(const std::vector<ErasedFrame>& frames) {
  std::string out;
  AppendVarint(out, frames.size());
  for (const auto& [position, header, facts] : frames) {
    AppendVarint(out, position / kFrameAlignment);
    AppendVarint(out, header.length);
    AppendVarint(out, static_cast<std::uint64_t>(header.kind));
    AppendVarint(out, (header.batch_continues ? kContinues : 0U) |
                          (header.type == FrameType::kErasedReplacement ? kOfReplacement : 0U));
    AppendVarint(out, header.conversation);
    AppendVarint(out, header.durable_back);
    AppendVarint(out, header.seq);
    AppendText(out, facts);
  }
  return out;
}

std::optional<std::vector<ErasedFrame>> DecodeErasure(std::string_view payload, std::uint64_t position) {
  Decoder bytes{payload};
  std::vector<ErasedFrame> frames;
  for (std::uint64_t left = bytes.Varint(); left > 0 && bytes.ok; --left) {
    ErasedFrame& frame = frames.emplace_back();
    frame.position = bytes.Varint() * kFrameAlignment;
    frame.header.length = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.kind = static_cast<EventKind>(bytes.Varint());
    const std::uint64_t flags = bytes.Varint();
    frame.header.type = (flags & kOfReplacement) != 0 ? FrameType::kErasedReplacement : FrameType::kErased;
    frame.header.batch_continues = (flags & kContinues) != 0;
    frame.header.conversation = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.durable_back = static_cast<std::uint32_t>(bytes.Varint());
    frame.header.seq = bytes.Varint();
    frame.facts = bytes.Text();
    bytes.ok = bytes.ok && frame.header.length <= kMaxEventBytes && frame.header.seq <= kMaxSeq &&
               frame.end() <= position && frame.facts.size() <= frame.header.length;
  }
  return bytes.ok ? std::optional(std::move(frames)) : std::nullopt;
}

}  // namespace turnlog
