#include "store/index/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <system_error>

#include "base/try.h"
#include "schema/event/codec.h"
#include "store/erasure/replacement_reader.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/frame_scanner.h"
#include "store/segments/payload_codec.h"

namespace turnlog {
namespace {

// Limits that an intact log cannot reach; larger numbers would cost memory, or overflow.
constexpr std::uint64_t kMaxMissing = 1 << 24;  // events, in all of one replay
constexpr std::uint64_t kSmallestEvent = kFrameHeaderBytes + kFrameAlignment;
constexpr std::uint32_t kMaxConversation = std::uint32_t{1} << 31;
constexpr std::uint64_t kPatience = 8;  // checkpoints that are left out for the sake of an orphan: memory is bounded
constexpr std::uint64_t kRecordsAtOnce = 4096;  // between reports of the progress
constexpr std::string_view kUnreadable = "the record is intact but its contents are not";

class Replayer {
 public:
  Replayer(SegmentSet& segments, Index& index, LogOffset from, const ReplayOptions& options)
      : segments_(segments),
        index_(index),
        options_(options),
        scanner_(segments, from.end),
        replacements_(segments),
        checkpointed_(from.end) {
    report_.mark = from;
  }

  Result<ReplayReport> Run(std::uint64_t to) {
    const std::uint64_t from = report_.mark.end;
    while (scanner_.position() < to) {
      const Frame* frame = TURNLOG_TRY(NextOrRefresh(scanner_, segments_));
      if (frame == nullptr) {
        if (!TURNLOG_TRY(StepOver(to))) break;
        continue;
      }
      if (frame->position >= to) break;
      TURNLOG_TRY(Take(*frame));
      if (!frame->header.batch_continues) TURNLOG_TRY(CheckpointIfDue());
      if (report_.records % kRecordsAtOnce != 0) continue;
      if (options_.progress) options_.progress(scanner_.position() - from, to - from);
      report_.stopped = options_.stop && options_.stop();
      if (report_.stopped) break;
    }
    TURNLOG_TRY(AwaitCheckpoint());
    if (report_.stopped) return std::move(report_);
    if (options_.progress) options_.progress(to - from, to - from);
    report_.mark = MarkAt(to);
    for (auto& [position, frame] : unnamed_) report_.orphans.push_back(std::move(frame));
    return std::move(report_);
  }

 private:
  // False if there is nothing to skip before `to`.
  Result<bool> StepOver(std::uint64_t to) {
    auto found = TURNLOG_TRY(scanner_.StepOver(to));
    if (!found) return false;
    if (found->header) found->damage.conversation = NameOf(found->header->conversation);
    report_.damage.push_back(std::move(found->damage));
    return true;
  }

  LogOffset MarkAt(std::uint64_t end) const {
    return {end, last_ ? SegmentPosition{last_->position, segments_.codec().Check(*last_)} : report_.mark.tail};
  }

  Status Take(const Frame& frame) {
    ++report_.records;
    last_ = {frame.header, frame.position, {}};
    switch (frame.header.type) {
      case FrameType::kConversation:
        if (frame.header.conversation - 1 < kMaxConversation) {
          return index_.ReplayConversation(frame.header.conversation, frame.payload);
        }
        Report(frame, "invalid conversation number");
        break;
      case FrameType::kEvent:
      case FrameType::kTombstone:
        return TakeEvent(frame);
      case FrameType::kEraseIntent:
        TakeIntent(frame);
        break;
      case FrameType::kReplacement:
        unnamed_.emplace(frame.position, EraseFrame(frame));
        break;
      case FrameType::kSeal:
      case FrameType::kEraseComplete:
      case FrameType::kReplacementTombstone:
      case FrameType::kClaim:
        break;
    }
    return {};
  }

  void TakeIntent(const Frame& intent) {
    const auto frames = DecodeErasure(intent.payload, intent.position);
    if (!frames) return Report(intent, kUnreadable);
    for (const Tombstone& frame : *frames) {
      const auto event = DecodeTombstone({.header = frame.header, .position = frame.position, .payload = frame.fields});
      if (event) unnamed_.erase(event->replacement.position);
    }
  }

  Status TakeEvent(const Frame& frame) {
    ++report_.events;
    const bool erased = frame.header.type == FrameType::kTombstone;
    if (erased && options_.verify_contents) TURNLOG_TRY(VerifyRedacted(frame));
    const IndexedFields fields = TURNLOG_TRY(FieldsOf(frame));
    // All missing events were stored before this one.
    const std::uint64_t possible = std::min(kMaxMissing, frame.position / kSmallestEvent);
    const auto gap = TURNLOG_TRY(index_.ReplayEvent(frame, fields, possible - std::min(possible, missing_)));
    missing_ += gap.value_or(0);
    if (!gap) {
      Report(frame, "the record's conversation or seq is inconsistent with earlier records");
    } else if (*gap > 0) {
      Report(frame, *gap == 1 ? std::string("an event of this conversation is missing before this one")
                              : fmt::format("{} events of this conversation are missing before this one", *gap));
    }
    return {};
  }

  Status VerifyRedacted(const Frame& erased) {
    const auto now = TURNLOG_TRY(replacements_.Follow(erased));
    const bool redacted = now && now->header.type == FrameType::kReplacement;
    const auto payload = redacted ? unpacker_.Unpack(*now) : Result<std::string_view>();
    if (!payload && payload.error().code != ErrorCode::kCorruption) return std::unexpected(payload.error());
    if (!now || !payload || (redacted && !DecodeEvent(*payload))) Report(erased, kReplacementLost);
    return {};
  }

  Result<IndexedFields> FieldsOf(const Frame& frame) {
    if (frame.header.type == FrameType::kTombstone) {
      if (const auto event = DecodeTombstone(frame)) {
        ++(event->replacement.missing() ? report_.erased : report_.redacted);
        return event->fields;
      }
      Report(frame, kUnreadable);
    } else {
      const auto payload = unpacker_.Unpack(frame);
      if (!payload && payload.error().code != ErrorCode::kCorruption) return std::unexpected(payload.error());
      auto fields = payload ? Read(frame.header.kind, *payload) : std::unexpected(payload.error());
      if (fields) return fields;
      Report(frame, payload ? fmt::format("{}: {}", kUnreadable, fields.error().message) : fields.error().message);
    }
    return IndexedFields{.kind = frame.header.kind, .bytes = UnpackedLength(frame)};
  }

  Result<IndexedFields> Read(EventKind kind, std::string_view payload) const {
    if (!options_.verify_contents) return DecodeIndexedFields(kind, payload, options_.salt);
    return IndexedFieldsOf(TURNLOG_TRY(DecodeEvent(payload)), payload.size(), options_.salt);
  }

  void Report(const Frame& frame, std::string_view reason) {
    Damage damage{.length = frame.end() - frame.position, .seq = frame.header.seq, .reason = std::string(reason)};
    if (const auto segment = segments_.Find(frame.position); segment && *segment != nullptr) {
      damage.file = "log/" + SegmentName((*segment)->extent.base);
      damage.offset = frame.position - (*segment)->extent.base;
    }
    damage.conversation = NameOf(frame.header.conversation);
    report_.damage.push_back(std::move(damage));
  }

  // Empty if it is not known.
  std::string NameOf(std::uint32_t conversation) const {
    const auto name = index_.NameOf(conversation);
    return name && *name ? **name : std::string();
  }

  Status CheckpointIfDue() {
    const std::uint64_t here = scanner_.position();
    // A checkpoint after an orphan would hide it from the next writer, if this one is killed before it erases it.
    const std::uint64_t times = unnamed_.empty() ? 1 : kPatience;
    const bool due = here - checkpointed_ >= options_.checkpoint_bytes * times ||
                     index_.growing_bytes() > options_.checkpoint_memory * times;
    if (options_.checkpoint_bytes == 0 || !due) return {};
    checkpointed_ = here;
    TURNLOG_TRY(AwaitCheckpoint());
    index_.BeginCheckpoint([&] { return MarkAt(here); });
    return WriteCheckpointMeanwhile();
  }

  // One at a time, while the log is read on: what is in memory is bounded by two.
  Status WriteCheckpointMeanwhile() {
    try {
      writing_ = std::async(std::launch::async, [this] { return index_.WriteCheckpoint(); });
    } catch (const std::system_error&) {
      return index_.WriteCheckpoint();  // there is no thread for it
    }
    return {};
  }

  Status AwaitCheckpoint() { return writing_.valid() ? writing_.get() : Status(); }

  SegmentSet& segments_;
  Index& index_;
  const ReplayOptions& options_;
  FrameScanner scanner_;
  ReplacementReader replacements_;
  PayloadUnpacker unpacker_;
  std::uint64_t checkpointed_;
  std::uint64_t missing_ = 0;                   // events
  std::map<std::uint64_t, Tombstone> unnamed_;  // replacements, by position, until an intent names them
  std::optional<Frame> last_;                   // without its payload
  ReplayReport report_;
  std::future<Status> writing_;  // a checkpoint; waited for when this is destroyed
};

}  // namespace

Result<ReplayReport> Replay(SegmentSet& segments, Index& index, LogOffset from, std::uint64_t to,
                            const ReplayOptions& options) {
  return Replayer(segments, index, from, options).Run(to);
}

}  // namespace turnlog
