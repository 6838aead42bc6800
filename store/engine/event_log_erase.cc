// Erasing: write a durable erase intent, overwrite the frames, write erase complete. After a crash in between, the next
// writer finds the intent and overwrites its frames once more.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "log/append_checks.h"
#include "schema/event/codec.h"
#include "store/engine/event_log.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/log_end.h"
#include "store/segments/payload_codec.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPlacesAtOnce = 512;
constexpr std::size_t kOrphansAtOnce = 4096;

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// A record whose payload cannot be decoded can be erased, too: the index has no fields of it either.
Result<IndexedFields> IndexedFieldsOf(const Frame& frame, std::uint64_t salt) {
  PayloadUnpacker unpacker;
  const auto payload = unpacker.Unpack(frame);
  if (!payload && payload.error().code != ErrorCode::kCorruption) return std::unexpected(payload.error());
  const auto event = payload ? DecodeEvent(*payload) : std::unexpected(payload.error());
  return event ? IndexedFieldsOf(*event, payload->size(), salt)
               : IndexedFields{.kind = frame.header.kind, .bytes = UnpackedLength(frame)};
}

}  // namespace

Result<EraseReport> EventLog::Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                    const EraseOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  // One erasure at a time, and no checkpoint between an erase intent and its completion.
  const std::scoped_lock lock(checkpoint_mutex_);
  TURNLOG_TRY(MustBeOpen());
  TURNLOG_TRY(committer_->Check());
  const StatePtr found = TURNLOG_TRY(FindVisible(conversation.text()));
  const ConversationState& state = *found;
  EraseReport report;
  std::vector<Tombstone> frames;
  for (StoredEvent& event : TURNLOG_TRY(FindStored(state, SortedSeqs(seqs)))) {
    if (event.bytes == 0) continue;
    if (event.fields.kind == EventKind::kRepair || event.fields.kind == EventKind::kRedaction) {
      return Refuse(ErrorCode::kInvalidArgument,
                    fmt::format("event {} of \"{}\" is a `{}`: it cannot be erased", event.original.header.seq,
                                state.name, ToString(event.fields.kind)));
    }
    ++report.events;
    report.bytes += event.bytes;
    event.original.SetFields(EncodeTombstoneFields(event.fields, {}, event.original.header.codec != kNoCodec));
    frames.push_back(std::move(event.original));
    if (event.replacement) frames.push_back(*std::move(event.replacement));
  }
  const std::uint64_t announced = TURNLOG_TRY(AnnounceErasure(state, frames, options));
  if (!frames.empty()) TURNLOG_TRY(CarryOut(announced, frames));
  return report;
}

Result<std::vector<EventLog::StoredEvent>> EventLog::FindStored(const ConversationState& state,
                                                                const std::vector<std::uint64_t>& seqs) {
  if (!seqs.empty() && (seqs.front() == 0 || seqs.back() > state.last_seq)) {
    return Refuse(ErrorCode::kNotFound, fmt::format("conversation \"{}\" has no event {}: its last one is {}",
                                                    state.name, seqs.front() == 0 ? 0 : seqs.back(), state.last_seq));
  }
  const auto index = TURNLOG_TRY(this->index());
  ReplacementReader replacements(*segments_);
  std::vector<StoredEvent> events;
  for (auto first = seqs.begin(); first != seqs.end();) {
    const auto last = std::lower_bound(first, seqs.end(), *first + kPlacesAtOnce);
    const auto refs = TURNLOG_TRY(index->Locate(state, *first, *(last - 1) - *first + 1));
    for (auto seq = first; seq != last; ++seq) {
      events.push_back(TURNLOG_TRY(FindStored(state, *seq, refs[*seq - *first], replacements)));
    }
    first = last;
  }
  return events;
}

Result<EventLog::StoredEvent> EventLog::FindStored(const ConversationState& state, std::uint64_t seq,
                                                   const FrameRef& ref, ReplacementReader& replacements) {
  if (ref.missing()) return CannotRead(state, seq, ref, "the event is missing: its record was lost");
  FrameScanner scanner(*segments_, ref.position);
  scanner.LimitReadAhead(ref.end());
  const Frame* frame = TURNLOG_TRY(scanner.Next());
  const bool found = frame != nullptr && frame->position == ref.position &&
                     frame->header.conversation == state.number && frame->header.seq == seq;
  if (found && frame->header.type == FrameType::kEvent) {
    StoredEvent event{.fields = {}, .original = EraseFrame(*frame), .replacement = {}};
    event.fields = TURNLOG_TRY(IndexedFieldsOf(*frame, identity_.salt()));
    event.bytes = event.fields.bytes;
    return event;
  }
  const auto erased = found && frame->header.type == FrameType::kTombstone ? DecodeTombstone(*frame) : std::nullopt;
  if (!erased) return CannotRead(state, seq, ref, "the record is not intact");
  StoredEvent event{.fields = erased->fields, .original = EraseFrame(*frame), .replacement = {}};
  if (erased->replacement.missing()) return event;
  const auto now = TURNLOG_TRY(replacements.Follow(*frame));
  if (!now) return CannotRead(state, seq, erased->replacement, kReplacementLost);
  event.replacement = EraseFrame(*now);
  event.bytes = UnpackedLength(*now);
  return event;
}

std::unexpected<Error> EventLog::CannotRead(const ConversationState& state, std::uint64_t seq, const FrameRef& ref,
                                            std::string_view reason) const {
  Damage damage{.reason = std::string(reason)};
  if (!ref.missing()) damage = segments_->DamageAt(ref.position, ref.end(), std::string(reason));
  damage.conversation = state.name;
  damage.seq = seq;
  return Refuse(ErrorCode::kCorruption, ToString(damage));
}

Result<PendingFrame> EventLog::AnnouncementOf(std::vector<Tombstone>& frames, std::string& payload) {
  std::ranges::sort(frames, {}, &Tombstone::position);  // so that each segment is synced once
  payload = EncodeErasure(frames);
  if (payload.size() > kMaxEventBytes) {
    return Refuse(ErrorCode::kInvalidArgument, "too many events to be erased or redacted at once");
  }
  return PendingFrame{.header = {.type = FrameType::kEraseIntent, .kind = EventKind{0}},
                      .payload = payload,
                      .payload_hash = Hash64(payload)};
}

// Returns the end of the erase intent.
Result<std::uint64_t> EventLog::AnnounceErasure(const ConversationState& state, std::vector<Tombstone>& frames,
                                                const EraseOptions& options) {
  std::string payload;
  const PendingFrame announcement = TURNLOG_TRY(AnnouncementOf(frames, payload));
  const auto index = TURNLOG_TRY(this->index());
  const Index::LockedConversation locked =
      TURNLOG_TRY(index->LockConversation(state.name));  // no append between the check and the frame
  TURNLOG_TRY(CheckExpected(options.expected_last, locked.projection()->state().last_seq));
  if (frames.empty()) return 0;
  std::vector<std::uint64_t> positions;
  return committer_->Enqueue({&announcement, 1}, positions);
}

// Makes the erase intent and everything before it durable; from then on all readers treat its frames as erased.
Status EventLog::CarryOut(std::uint64_t announced, const std::vector<Tombstone>& frames) {
  TURNLOG_TRY(AwaitCommit(announced, Durability::kSync));
  segments_->erasures().AddIntent(announced, frames);
  if (const Status status = Overwrite(frames); !status) {
    committer_->Poison(status.error());
    return status;
  }
  return ReportErased();
}

Status EventLog::Overwrite(std::span<const Tombstone> frames) {
  std::shared_ptr<OpenSegment> segment;
  for (const Tombstone& frame : frames) {
    if (segment == nullptr || frame.position < segment->extent.base || frame.position >= segment->extent.end()) {
      if (segment != nullptr) TURNLOG_TRY(segment->file->Sync());
      segment = TURNLOG_TRY(segments_->Find(frame.position));
    }
    if (segment == nullptr || frame.position < segment->extent.first() || frame.end() > segment->extent.end()) {
      return Refuse(ErrorCode::kCorruption,
                    ToString(segments_->DamageAt(frame.position, frame.end(), "cannot be erased")));
    }
    TURNLOG_TRY(segment->file->WriteAt(frame.position - segment->extent.base, EncodeFrame(segment->codec, frame)));
  }
  return segment == nullptr ? Status() : segment->file->Sync();
}

// Replacements of a redaction that was interrupted before its intent. No read returns them, but they hold the other
// contents of their events, which a later redaction may have to remove.
Status EventLog::EraseOrphans(std::span<const Tombstone> orphans) {
  while (!orphans.empty()) {
    const auto some = orphans.first(std::min(kOrphansAtOnce, orphans.size()));
    orphans = orphans.subspan(some.size());
    std::vector<Tombstone> frames(some.begin(), some.end());
    std::string payload;
    const PendingFrame intent = TURNLOG_TRY(AnnouncementOf(frames, payload));
    std::vector<std::uint64_t> positions;
    const std::uint64_t announced = TURNLOG_TRY(committer_->Enqueue({&intent, 1}, positions));
    TURNLOG_TRY(CarryOut(announced, frames));
  }
  return {};
}

// All that has been announced is on disk.
Status EventLog::ReportErased() {
  // The operating system reports a lost page only once, possibly to a concurrent sync of the committer instead of ours.
  // Then that sync fails, and so does this.
  TURNLOG_TRY(committer_->AwaitRunningSync());
  const PendingFrame frame{.header = {.type = FrameType::kEraseComplete, .kind = EventKind{0}},
                           .payload_hash = Hash64({})};
  std::vector<std::uint64_t> positions;
  const std::uint64_t end = TURNLOG_TRY(committer_->Enqueue({&frame, 1}, positions));
  TURNLOG_TRY(committer_->Wait(end, Durability::kBuffered));
  segments_->erasures().Done(end);
  return {};
}

}  // namespace turnlog
