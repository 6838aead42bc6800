// Redacting: the replacements are written to the end of the log. One more append holds the `redaction` event and an
// erase intent, whose tombstones point to the replacements. Without that complete append nothing has happened; with it,
// it is carried out like an erasure.
#include <fmt/format.h>

#include "base/try.h"
#include "log/append_checks.h"
#include "store/engine/event_frame.h"
#include "store/engine/event_log.h"
#include "store/erasure/tombstone_fields.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// No log is longer. An offset takes at most as many bytes in an intent as this one.
constexpr std::uint64_t kFarthestPosition = std::uint64_t{1} << 50;

}  // namespace

struct EventLog::Redaction {
  StatePtr state;
  std::vector<StoredEvent> stored;
  PreparedEvents replacements;  // one for each of `stored`
  PreparedEvents event;         // the `redaction` event
  StoredPayloads stored_replacements, stored_event;
  std::vector<Tombstone> frames;
};

Result<RedactReport> EventLog::Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                      const EventView& event, const RedactOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(CheckRedaction(replacements, event));
  std::vector<std::uint64_t> seqs;
  std::vector<EventView> views;
  for (const Replacement& replacement : replacements) {
    seqs.push_back(replacement.seq.value);
    views.push_back(replacement.event);
  }
  Redaction redaction;
  redaction.replacements = TURNLOG_TRY(PreparedEvents::Make(views, identity_.salt()));
  redaction.event = TURNLOG_TRY(PreparedEvents::Make({&event, 1}, identity_.salt()));
  redaction.stored_replacements = StoredPayloads(redaction.replacements, compression_);
  redaction.stored_event = StoredPayloads(redaction.event, compression_);

  std::unique_lock lock(checkpoint_mutex_);  // see Erase
  TURNLOG_TRY(MustBeOpen());
  TURNLOG_TRY(committer_->Check());
  const auto index = TURNLOG_TRY(this->index());
  redaction.state = TURNLOG_TRY(FindVisible(conversation.text()));
  redaction.stored = TURNLOG_TRY(FindStored(*redaction.state, seqs));
  TURNLOG_TRY(CheckReplacements(redaction));
  const std::uint64_t announced = TURNLOG_TRY(AnnounceRedaction(redaction, options));
  TURNLOG_TRY(CarryOut(announced, redaction.frames));
  lock.unlock();
  MaintainSoon(*index, announced);
  RedactReport report{.redaction = redaction.event.events.front().result.seq};
  for (const StoredEvent& stored : redaction.stored) report.bytes += stored.bytes;
  return report;
}

Status EventLog::CheckReplacements(const Redaction& redaction) const {
  for (std::size_t i = 0; i < redaction.stored.size(); ++i) {
    const StoredEvent& stored = redaction.stored[i];
    const std::uint64_t seq = stored.original.header.seq;
    if (stored.bytes == 0) return Refuse(fmt::format("event {} of \"{}\" is erased", seq, redaction.state->name));
    const std::string_view changed = ChangedField(stored.fields, redaction.replacements.events[i].fields);
    if (changed.empty()) continue;
    return Refuse(
        fmt::format("the replacement of event {} of \"{}\" changes its {}", seq, redaction.state->name, changed));
  }
  return {};
}

// The frames that the redaction overwrites, given the offsets of the replacements.
Status EventLog::ListFrames(Redaction& redaction, std::span<const std::uint64_t> positions) {
  redaction.frames.clear();
  for (std::size_t i = 0; i < redaction.stored.size(); ++i) {
    StoredEvent& stored = redaction.stored[i];
    const FrameRef replacement = RefAt(positions[i], redaction.stored_replacements[i].payload.size());
    const bool compressed = stored.original.header.codec != kNoCodec;
    if (!stored.original.SetFields(EncodeTombstoneFields(stored.fields, replacement, compressed))) {
      return Refuse(fmt::format("event {} is too short to be redacted", stored.original.header.seq));
    }
    redaction.frames.push_back(stored.original);
    if (stored.replacement) redaction.frames.push_back(*stored.replacement);
  }
  return {};
}

// Whatever is refused is refused here: once the replacements are in the log, they must get their intent.
Status EventLog::CheckIntent(Redaction& redaction) {
  const std::vector<std::uint64_t> farthest(redaction.stored.size(), kFarthestPosition);
  TURNLOG_TRY(ListFrames(redaction, farthest));
  std::string payload;
  (void)TURNLOG_TRY(AnnouncementOf(redaction.frames, payload));
  return {};
}

// Returns where the erase intent ends.
Result<std::uint64_t> EventLog::AnnounceRedaction(Redaction& redaction, const RedactOptions& options) {
  const auto index = TURNLOG_TRY(this->index());
  const Index::LockedConversation locked = TURNLOG_TRY(index->LockConversation(redaction.state->name));
  const std::uint64_t last = locked.projection()->state().last_seq;
  TURNLOG_TRY(CheckExpected(options.expected_last, last));
  TURNLOG_TRY(CheckIntent(redaction));

  std::vector<PendingFrame> frames;
  for (std::size_t i = 0; i < redaction.stored.size(); ++i) {
    PreparedEvents::One& one = redaction.replacements.events[i];
    one.result.seq = {redaction.stored[i].original.header.seq};
    frames.push_back(FrameOf(one, redaction.stored_replacements[i], redaction.state->number, FrameType::kReplacement));
  }
  std::vector<std::uint64_t> positions;
  (void)TURNLOG_TRY(committer_->Enqueue(frames, positions));  // they count for nothing until an intent names them
  TURNLOG_TRY(ListFrames(redaction, positions));

  std::string payload;
  PreparedEvents::One& one = redaction.event.events.front();
  one.result.seq = {last + 1};
  frames = {FrameOf(one, redaction.stored_event[0], redaction.state->number),
            TURNLOG_TRY(AnnouncementOf(redaction.frames, payload))};
  frames.front().header.batch_continues = true;
  const std::uint64_t end = TURNLOG_TRY(committer_->Enqueue(frames, positions));
  const FrameRef ref = RefAt(positions.front(), redaction.stored_event[0].payload.size());
  locked.projection()->Apply(last + 1, ref, one.fields);
  index->CountAppended(1, one.payload.size(), 0);
  return end;
}

}  // namespace turnlog
