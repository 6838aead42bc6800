// Erasing: announce it durably in the log, overwrite, report it done. A crash in between leaves the announcement, and
// the next writer overwrites everything that it names once more.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "schema/codec.h"
#include "store/erased_facts.h"
#include "store/event_log.h"
#include "store/frame_scanner.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPlacesAtOnce = 512;

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

std::vector<std::uint64_t> Sorted(std::span<const Seq> seqs) {
  std::vector<std::uint64_t> sorted;
  for (const Seq seq : seqs) sorted.push_back(seq.value);
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

// A record whose contents cannot be read can be erased all the same: the index knows as little of it.
EventFacts FactsOf(const Frame& frame, std::uint64_t salt) {
  const auto event = DecodeEvent(frame.payload);
  return event ? FactsOf(*event, frame.payload.size(), salt)
               : EventFacts{.kind = frame.header.kind, .bytes = frame.payload.size()};
}

}  // namespace

Result<EraseReport> EventLog::Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                    const EraseOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  // One at a time, and no checkpoint passes an announcement before it is carried out.
  const std::scoped_lock lock(checkpoint_mutex_);
  TURNLOG_TRY(MustBeOpen());
  TURNLOG_TRY(committer_->Check());
  const ConversationState state = TURNLOG_TRY(FindVisible(conversation.text()));
  const std::vector<ErasedFrame> frames = TURNLOG_TRY(FramesToErase(state, seqs));
  TURNLOG_TRY(AnnounceErasure(state, frames, options));
  if (frames.empty()) return EraseReport{};
  if (const Status status = Overwrite(frames); !status) {
    committer_->Poison(status.error());
    return std::unexpected(status.error());
  }
  TURNLOG_TRY(ReportErased());
  EraseReport report{.events = frames.size()};
  for (const ErasedFrame& frame : frames) report.bytes += frame.header.length;
  return report;
}

Result<std::vector<ErasedFrame>> EventLog::FramesToErase(const ConversationState& state,
                                                         std::span<const Seq> seqs) const {
  const std::vector<std::uint64_t> sorted = Sorted(seqs);
  if (!sorted.empty() && (sorted.front() == 0 || sorted.back() > state.last_seq)) {
    return Refuse(ErrorCode::kNotFound,
                  fmt::format("conversation \"{}\" has no event {}: its last one is {}", state.name,
                              sorted.front() == 0 ? 0 : sorted.back(), state.last_seq));
  }
  const auto index = TURNLOG_TRY(this->index());
  std::vector<ErasedFrame> frames;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::lower_bound(first, sorted.end(), *first + kPlacesAtOnce);
    const auto places = TURNLOG_TRY(index->Locate(state, *first, *(last - 1) - *first + 1));
    for (auto seq = first; seq != last; ++seq) {
      if (auto frame = TURNLOG_TRY(FrameToErase(state, *seq, places[*seq - *first])))
        frames.push_back(*std::move(frame));
    }
    first = last;
  }
  return frames;
}

// Nothing if it has been erased before.
Result<std::optional<ErasedFrame>> EventLog::FrameToErase(const ConversationState& state, std::uint64_t seq,
                                                          const FrameRef& ref) const {
  Damage damage{.conversation = state.name, .seq = seq, .reason = "the event is missing: its record was lost"};
  if (ref.missing()) return Refuse(ErrorCode::kCorruption, ToString(damage));
  FrameScanner scanner(*segments_, ref.position);
  scanner.LimitReadAhead(ref.end());
  const auto frame = TURNLOG_TRY(scanner.Next());
  const bool found = frame && frame->position == ref.position && frame->header.conversation == state.number &&
                     frame->header.seq == seq &&
                     (frame->header.type == FrameType::kEvent || frame->header.type == FrameType::kErased);
  if (!found) {
    damage = segments_->DamageAt(ref.position, ref.end(), "the record is not intact");
    damage.conversation = state.name;
    damage.seq = seq;
    return Refuse(ErrorCode::kCorruption, ToString(damage));
  }
  if (frame->header.type == FrameType::kErased) return std::nullopt;
  if (frame->header.kind == EventKind::kRepair || frame->header.kind == EventKind::kRedaction) {
    return Refuse(ErrorCode::kInvalidArgument, fmt::format("event {} of \"{}\" is a `{}`: it cannot be erased", seq,
                                                           state.name, ToString(frame->header.kind)));
  }
  return EraseFrame(*frame, EncodeFacts(FactsOf(*frame, identity_.salt())));
}

// Durable when it returns, and so is everything before it. From here on all who read take the events for erased.
Status EventLog::AnnounceErasure(const ConversationState& state, const std::vector<ErasedFrame>& frames,
                                 const EraseOptions& options) {
  const std::string payload = EncodeErasure(frames);
  if (payload.size() > kMaxEventBytes) {
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("{} events are too many to be erased at once", frames.size()));
  }
  const FrameDraft draft{
      .header = {.type = FrameType::kErase, .kind = EventKind{0}}, .payload = payload, .payload_hash = Hash64(payload)};
  std::uint64_t end = 0;
  {
    const auto index = TURNLOG_TRY(this->index());
    const Index::Held held = TURNLOG_TRY(index->Hold(state.name));  // nobody appends between the check and the frame
    const std::uint64_t last = held.fold()->state().last_seq;
    if (options.expected_last && options.expected_last->value != last) {
      return std::unexpected(
          Error{ErrorCode::kConflict,
                fmt::format("the conversation's last seq is {}, not {}", last, options.expected_last->value), last});
    }
    if (frames.empty()) return {};
    std::vector<std::uint64_t> positions;
    end = TURNLOG_TRY(committer_->Reserve({&draft, 1}, positions));
  }
  TURNLOG_TRY(committer_->Wait(end, Durability::kSync));
  segments_->erasures().Begin(end, frames);
  return {};
}

Status EventLog::Overwrite(std::span<const ErasedFrame> frames) {
  const FrameCodec codec = segments_->codec();
  std::shared_ptr<OpenSegment> segment;
  for (const ErasedFrame& frame : frames) {
    if (segment == nullptr || frame.position >= segment->place.end()) {
      if (segment != nullptr) TURNLOG_TRY(segment->file->Sync());
      segment = TURNLOG_TRY(segments_->Find(frame.position));
    }
    if (segment == nullptr || frame.position < segment->place.base) {
      return Refuse(ErrorCode::kCorruption,
                    ToString(segments_->DamageAt(frame.position, frame.end(), "cannot be erased")));
    }
    TURNLOG_TRY(segment->file->WriteAt(frame.position - segment->place.base, EncodeFrame(codec, frame)));
  }
  return segment == nullptr ? Status() : segment->file->Sync();
}

// All that has been announced is on disk.
Status EventLog::ReportErased() {
  const FrameDraft draft{.header = {.type = FrameType::kEraseDone, .kind = EventKind{0}}, .payload_hash = Hash64({})};
  std::vector<std::uint64_t> positions;
  const std::uint64_t end = TURNLOG_TRY(committer_->Reserve({&draft, 1}, positions));
  // The operating system reports a lost page once: should a commit that went on meanwhile have been told instead of us,
  // it fails, and this behind it.
  TURNLOG_TRY(committer_->Wait(end, Durability::kBuffered));
  segments_->erasures().Done(end);
  return {};
}

}  // namespace turnlog
