#include "store/engine/cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "store/segments/log_end.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPlacesAtOnce = 512;
constexpr std::uint64_t kReadAtOnce = 256 << 10;
constexpr std::uint64_t kWorthReadingOver = 16 << 10;  // a gap up to this is cheaper to read than to skip

}  // namespace

ConversationCursor::ConversationCursor(std::shared_ptr<Index> index, std::shared_ptr<SegmentSet> segments,
                                       StatePtr state, ReadRange range, bool backward)
    : index_(std::move(index)),
      segments_(std::move(segments)),
      state_(std::move(state)),
      backward_(backward),
      left_(range),
      replacements_(*segments_) {}

Result<Item> ConversationCursor::Next() {
  if (segments_->closed()) return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
  if (left_.last < left_.first) return EndOfLog{};
  const std::uint64_t seq = backward_ ? left_.last : left_.first;
  if (seq < first_ref_ || seq - first_ref_ >= refs_.size()) TURNLOG_TRY(LoadRefs());
  auto item = At(seq);
  if (!item) return item;
  backward_ ? --left_.last : ++left_.first;
  return item;
}

Status ConversationCursor::LoadRefs() {
  const std::uint64_t count = std::min(left_.last - left_.first + 1, kPlacesAtOnce);
  first_ref_ = backward_ ? left_.last - count + 1 : left_.first;
  refs_ = TURNLOG_TRY(index_->Locate(*state_, first_ref_, count));
  return {};
}

Result<Item> ConversationCursor::At(std::uint64_t seq) {
  const FrameRef& ref = refs_[seq - first_ref_];
  if (ref.missing()) return Missing(ref, seq, "the event is missing: its record was damaged");
  const Frame* frame = TURNLOG_TRY(ReadBesideErasures(*segments_, [&] { return FrameAt(ref, seq); }));
  if (frame == nullptr) return Missing(ref, seq, "the record does not match its checksum");
  const FrameHeader& header = frame->header;
  if (header.NeedsLaterVersion()) {
    return std::unexpected(
        Error{ErrorCode::kUnsupportedVersion,
              fmt::format("event {} of \"{}\" was written by a later version of turnlog", seq, state_->name)});
  }
  const bool erased = header.type == FrameType::kTombstone;
  if ((header.type != FrameType::kEvent && !erased) || header.conversation != state_->number || header.seq != seq) {
    return Missing(ref, seq, "the record here is not the one that the index names");
  }
  return erased ? WhereErased(ref, *frame) : Show(ref, *frame);
}

Result<Item> ConversationCursor::Show(const FrameRef& ref, const Frame& frame) {
  const auto payload = unpacker_.Unpack(frame);
  if (!payload && payload.error().code == ErrorCode::kCorruption) {
    return Missing(ref, frame.header.seq, payload.error().message);
  }
  return Record{.conversation = state_->name,
                .seq = {frame.header.seq},
                .turn = {ref.turn},
                .kind = frame.header.kind,
                .payload = TURNLOG_TRY(payload),
                .redacted = frame.header.type == FrameType::kReplacement};
}

Result<Item> ConversationCursor::WhereErased(const FrameRef& ref, const Frame& erased) {
  const Seq seq{erased.header.seq};
  const EventKind kind = erased.header.kind;
  const auto now = TURNLOG_TRY(replacements_.Follow(erased));
  if (!now) return Missing(ref, seq.value, std::string(kReplacementLost));
  if (now->header.type == FrameType::kTombstone) {
    return Erased{.conversation = state_->name, .seq = seq, .turn = {ref.turn}, .kind = kind};
  }
  return Show(ref, *now);
}

Result<const Frame*> ConversationCursor::FrameAt(const FrameRef& ref, std::uint64_t seq) {
  if (auto erased = segments_->erasures().At(ref.position)) {
    erased_ = *std::move(erased);
    frame_ = Frame{erased_.header, ref.position, erased_.fields};
    return &*frame_;
  }
  const std::string_view bytes = TURNLOG_TRY(Bytes(ref, seq));
  if (!bytes.empty()) segment_->codec.Read(bytes, bytes.size(), ref.position, frame_);
  if (!bytes.empty() && frame_) return &*frame_;
  window_ = {};
  return nullptr;
}

Result<std::string_view> ConversationCursor::Bytes(const FrameRef& ref, std::uint64_t seq) {
  if (ref.position < window_begin_ || ref.end() > window_begin_ + window_.size()) {
    window_ = {};
    if (segment_ == nullptr || ref.position < segment_->extent.base || ref.position >= segment_->extent.end()) {
      segment_ = TURNLOG_TRY(segments_->Find(ref.position));
    }
    if (segment_ == nullptr || !TURNLOG_TRY(IsInside(ref))) return std::string_view();
    const ReadRange range = Neighbours(seq);
    window_begin_ = refs_[range.first - first_ref_].position;
    const std::span<char> out = buffer_.Take(refs_[range.last - first_ref_].end() - window_begin_);
    const std::size_t got = TURNLOG_TRY(segments_->ReadAt(*segment_, window_begin_, out));
    window_ = {out.data(), got};
  }
  const std::uint64_t begin = ref.position - window_begin_;
  return begin < window_.size() ? window_.substr(begin, ref.end() - ref.position) : std::string_view();
}

// Checks an offset of the index against the file before memory is allocated for it.
Result<bool> ConversationCursor::IsInside(const FrameRef& ref) const {
  const SegmentExtent& extent = segment_->extent;
  if (ref.position < extent.first() || ref.end() > extent.end()) return false;
  return ref.end() - ref.position <= kReadAtOnce || ref.end() - extent.base <= TURNLOG_TRY(segment_->file->Size());
}

// The records next to `seq`, in reading direction, that one read can cover.
ReadRange ConversationCursor::Neighbours(std::uint64_t seq) const {
  ReadRange range{seq, seq};
  const auto ref_of = [&](std::uint64_t s) -> const FrameRef& { return refs_[s - first_ref_]; };
  const auto joins = [&](const FrameRef& before, const FrameRef& after) {
    return !before.missing() && !after.missing() && after.position >= before.end() &&
           after.position - before.end() <= kWorthReadingOver && after.end() <= segment_->extent.end() &&
           before.position >= segment_->extent.base;
  };
  const auto bytes = [&] { return ref_of(range.last).end() - ref_of(range.first).position; };
  if (backward_) {
    while (range.first > first_ref_ && bytes() < kReadAtOnce && joins(ref_of(range.first - 1), ref_of(range.first))) {
      --range.first;
    }
  } else {
    const std::uint64_t end = first_ref_ + refs_.size();
    while (range.last + 1 < end && bytes() < kReadAtOnce && joins(ref_of(range.last), ref_of(range.last + 1)))
      ++range.last;
  }
  return range;
}

Damage ConversationCursor::Missing(const FrameRef& ref, std::uint64_t seq, std::string reason) const {
  Damage damage{.conversation = state_->name, .seq = seq, .reason = std::move(reason)};
  if (ref.missing()) return damage;
  damage.length = ref.end() - ref.position;
  if (const auto segment = segments_->Find(ref.position); segment && *segment != nullptr) {
    damage = segments_->DamageAt(ref.position, ref.end(), std::move(damage.reason));
    damage.conversation = state_->name;
    damage.seq = seq;
  } else {
    damage.reason = "the segment that holds the record is missing";
  }
  return damage;
}

}  // namespace turnlog
