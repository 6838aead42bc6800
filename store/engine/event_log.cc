#include "store/engine/event_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "log/consumer_name.h"
#include "log/raw_view.h"
#include "log/read_range.h"
#include "store/engine/compressed_records.h"
#include "store/engine/cursor.h"
#include "store/engine/open_logs.h"
#include "store/engine/storage_walk.h"
#include "store/engine/tail.h"

namespace turnlog {
namespace {

std::unexpected<Error> NoConversation(const std::string& name) {
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("there is no conversation \"{}\"", name)});
}

ConversationInfo InfoOf(const ConversationState& state) {
  return {.id = state.name,
          .last = {state.last_seq},
          .turns = state.turns,
          .bytes = state.bytes,
          .first_time = state.first_time,
          .last_time = state.last_time};
}

std::unexpected<Error> Closed() { return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"}); }

}  // namespace

EventLog::EventLog(StorePaths paths, SegmentOptions options, const Environment& environment)
    : paths_(std::move(paths)), options_(std::move(options)), environment_(environment) {}

Capabilities EventLog::capabilities() const {
  return {.erases_in_place = true, .total_order = true, .appends_later = true, .many_writers = false};
}

EventLog::~EventLog() {
  ForgetAtExit(*this);
  (void)EventLog::Close();
}

Result<std::shared_ptr<Index>> EventLog::index() const {
  const std::scoped_lock lock(index_mutex_);
  if (index_ == nullptr) return Closed();
  return index_;
}

std::uint64_t EventLog::VisibleEnd() const {
  return committer_ != nullptr ? committer_->written() : read_end_.load(std::memory_order_acquire);
}

Status EventLog::MustBeOpen() const {
  if (closed_) return Closed();
  return {};
}

Status EventLog::MustBeWritable() const {
  if (committer_ == nullptr) {
    return std::unexpected(Error{ErrorCode::kReadOnly, "the store was opened for reading only"});
  }
  return MustBeOpen();
}

// --- Reading ---

// Returns a state whose events can all be read: it waits for the writes of AppendLater and never shows half of a
// reader's Refresh. After a failed write the index in memory is ahead of the log: a conversation that has grown since
// then is not shown at all, because its turns, size and pending inquiries include events that may be lost.
Result<StatePtr> EventLog::FindVisible(const std::string& name) {
  StatePtr state = TURNLOG_TRY(FindIfVisible(name));
  return state == nullptr ? NoConversation(name) : Result<StatePtr>(std::move(state));
}

// Null if there is no such conversation.
Result<StatePtr> EventLog::FindIfVisible(const std::string& name) {
  TURNLOG_TRY(MustBeOpen());
  std::shared_lock lock(refresh_mutex_, std::defer_lock);
  if (committer_ == nullptr) lock.lock();
  const auto index = TURNLOG_TRY(this->index());
  StatePtr state = TURNLOG_TRY(index->Find(name));
  if (state == nullptr || state->last_seq == 0) return nullptr;
  if (committer_ != nullptr) TURNLOG_TRY(committer_->AwaitWritten(state->end));
  return state;
}

Result<std::unique_ptr<Cursor>> EventLog::ReadRaw(const ConversationId& conversation, const ReadOptions& options) {
  return ReadState(TURNLOG_TRY(FindVisible(conversation.text())), options);
}

Result<Log::RawView> EventLog::FindView(const ConversationId& conversation, const ReadOptions& options) {
  StatePtr state = TURNLOG_TRY(FindVisible(conversation.text()));
  RawView view{
      .last = {state->last_seq}, .turn = {state->turns}, .repairs = TURNLOG_TRY(RepairsOf(*state)), .events = {}};
  view.events = TURNLOG_TRY(ReadState(std::move(state), RawView::OptionsOf(options, !view.repairs.empty())));
  return view;
}

Result<std::unique_ptr<Cursor>> EventLog::ReadState(StatePtr state, const ReadOptions& options) {
  const auto index = TURNLOG_TRY(this->index());
  const ReadRange range = TURNLOG_TRY(ReadRangeOf(options, state->last_seq, state->turns,
                                                  [&](std::uint64_t turn) { return index->TurnStart(*state, turn); }));
  return std::make_unique<ConversationCursor>(index, segments_, std::move(state), range, options.backward);
}

Result<ConversationInfo> EventLog::Info(const ConversationId& conversation) {
  return InfoOf(*TURNLOG_TRY(FindVisible(conversation.text())));
}

// Those that `find` finds in the index, as FindVisible would give them one by one.
template <class FindFn>
Result<std::vector<ConversationInfo>> EventLog::ListVisible(FindFn find) {
  TURNLOG_TRY(MustBeOpen());
  std::shared_lock lock(refresh_mutex_, std::defer_lock);
  if (committer_ == nullptr) lock.lock();
  const auto index = TURNLOG_TRY(this->index());
  std::vector<ConversationInfo> infos;
  std::uint64_t end = 0;
  for (const StatePtr& state : TURNLOG_TRY(find(*index))) {
    if (state->last_seq == 0) continue;  // its first append has not reached the log
    infos.push_back(InfoOf(*state));
    end = std::max(end, state->end);
  }
  if (committer_ != nullptr) TURNLOG_TRY(committer_->AwaitWritten(end));
  return infos;
}

Result<std::vector<ConversationInfo>> EventLog::List(std::string_view after, std::size_t limit) {
  return ListVisible([&](const Index& index) { return index.Conversations(after, limit); });
}

Result<std::vector<InquiryRecord>> EventLog::FindInquiryRaw(const ConversationId& conversation,
                                                            const InquiryIdView& id) {
  const StatePtr state = TURNLOG_TRY(FindVisible(conversation.text()));
  const auto index = TURNLOG_TRY(this->index());
  std::vector<InquiryRecord> records;
  for (InquiryRef ref : TURNLOG_TRY(index->Inquiries(*state, HashId(id.text, identity_.salt())))) {
    // The index may contain later events than `state`.
    if (ref.response > state->last_seq) ref.response = 0;
    if (ref.request > state->last_seq || (ref.request == 0 && ref.response == 0)) continue;
    if (!TURNLOG_TRY(Matches(state, ref, id))) continue;
    InquiryRecord record{.turn = {ref.turn}};
    if (ref.request != 0) record.request = Seq{ref.request};
    if (ref.response != 0) record.response = Seq{ref.response};
    record.pending = ref.response == 0 && ref.turn == state->turns;
    records.push_back(record);
  }
  return records;
}

// The index holds only hashes of ids, so the ids are compared in the record itself.
Result<bool> EventLog::Matches(const StatePtr& state, const InquiryRef& ref, const InquiryIdView& id) {
  const std::uint64_t seq = ref.request != 0 ? ref.request : ref.response;
  const auto cursor = TURNLOG_TRY(ReadState(state, {.from = {seq}, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return true;  // damaged: trust the index
  return HasInquiryId(TURNLOG_TRY(record->Decode()), id);
}

Result<std::vector<PendingInquiry>> EventLog::PendingRaw(const std::optional<ConversationId>& conversation) {
  TURNLOG_TRY(MustBeOpen());
  const auto index = TURNLOG_TRY(this->index());
  std::vector<std::string> names;
  if (conversation) {
    names.push_back(conversation->text());
  } else {
    names = TURNLOG_TRY(index->NamesWithPending());
  }
  std::vector<PendingInquiry> pending;
  for (const std::string& name : names) {
    const auto state = FindVisible(name);
    if (!conversation && !state && state.error().code == ErrorCode::kNotFound) continue;  // as in List
    if (!state) return std::unexpected(state.error());
    for (const OpenInquiry& inquiry : (*state)->open.all()) {
      if (inquiry.seq <= (*state)->last_seq) pending.push_back({name, {(*state)->turns}, {inquiry.seq}});
    }
  }
  return pending;
}

// --- For the sanitizer and other consumers ---

Result<std::vector<RepairRange>> EventLog::Repairs(const ConversationId& conversation) {
  return RepairsOf(*TURNLOG_TRY(FindVisible(conversation.text())));
}

Result<std::vector<RepairRange>> EventLog::RepairsOf(const ConversationState& state) {
  return TURNLOG_TRY(index())->Repairs(state);
}

Result<std::optional<Watermark>> EventLog::FindWatermark(std::string_view consumer,
                                                         const ConversationId& conversation) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  const StatePtr state = TURNLOG_TRY(FindIfVisible(conversation.text()));
  const auto index = TURNLOG_TRY(this->index());
  if (state == nullptr) return index->FindAbsentWatermark(consumer, conversation.text());
  auto watermark = TURNLOG_TRY(index->FindWatermark(consumer, *state));
  if (watermark && watermark->head.value > state->last_seq) watermark.reset();
  return watermark;
}

Status EventLog::SetWatermark(std::string_view consumer, const ConversationId& conversation,
                              const Watermark& watermark) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(committer_->Check());
  const StatePtr state = TURNLOG_TRY(FindIfVisible(conversation.text()));
  if (watermark.head.value > (state == nullptr ? 0 : state->last_seq)) return {};
  const auto index = TURNLOG_TRY(this->index());
  index->SetWatermark(consumer, conversation.text(), watermark);
  if (index->watermark_bytes() > kManyWatermarkBytes) WakeMaintenance();
  // Back-pressure: watermarks come faster than checkpoints write them.
  if (index->watermark_bytes() > 2 * kManyWatermarkBytes) return CheckpointNow();
  return {};
}

Result<std::vector<ConversationInfo>> EventLog::ListChanged(std::string_view consumer, std::string_view after,
                                                            std::size_t limit, Changes which) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  return ListVisible([&](const Index& index) { return index.Changed(consumer, after, limit, which); });
}

// --- Following ---

Result<std::unique_ptr<Tail>> EventLog::Follow(const Position& from,
                                               const std::optional<ConversationId>& conversation) {
  const SegmentPosition start = TURNLOG_TRY(SegmentPosition::From(from));
  TURNLOG_TRY(Refresh());
  return LogTail::Open(*this, start, conversation ? std::optional(conversation->text()) : std::nullopt);
}

Result<Position> EventLog::End() {
  TURNLOG_TRY(Refresh());
  if (committer_ != nullptr) return committer_->written_mark().tail.ToPosition();
  const std::shared_lock lock(refresh_mutex_);
  return read_mark_.tail.ToPosition();
}

Result<bool> EventLog::WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout) {
  TURNLOG_TRY(MustBeOpen());
  if (committer_ != nullptr) return committer_->WaitForMore(position, timeout);
  // The writer may be another process: poll.
  constexpr std::chrono::milliseconds kLookAgain{20};
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    TURNLOG_TRY(Refresh());
    if (VisibleEnd() > position) return true;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds{0}) return false;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kLookAgain));
  }
}

// --- The store as a whole ---

Result<StoreStats> EventLog::Stats() {
  TURNLOG_TRY(MustBeOpen());
  const auto index = TURNLOG_TRY(this->index());
  const IndexTotals totals = index->totals();
  const std::vector<SegmentExtent> segments = segments_->all();
  std::uint64_t segment_bytes = 0;
  for (const SegmentExtent& extent : segments) {
    const auto segment = TURNLOG_TRY(segments_->Find(extent.base));
    if (segment != nullptr) segment_bytes += TURNLOG_TRY(segment->file->Size());
  }
  // Without what a writer has preallocated, so that the figure does not depend on whether there is one.
  if (!segments.empty()) {
    const SegmentExtent& last = segments.back();
    const auto segment = TURNLOG_TRY(segments_->Find(last.base));
    const std::uint64_t size = segment == nullptr ? 0 : TURNLOG_TRY(segment->file->Size());
    segment_bytes -= size - std::min(size, std::max(VisibleEnd(), last.first()) - last.base);
  }
  const std::uint64_t checkpoint = index->meta().checkpoint;
  return StoreStats{.store_id = identity_.id(),
                    .engine = "segments",
                    .format_version = identity_.format_version,
                    .compression = std::string(ToString(compression_)),
                    .conversations = totals.conversations,
                    .events = totals.events,
                    .payload_bytes = totals.payload_bytes,
                    .figures = {{"segments", segments.size()},
                                {"segment_bytes", segment_bytes},
                                {"index_bytes", index->base().BytesOnDisk()},
                                {"end_offset", VisibleEnd()},  // where the next record goes
                                {"durable_offset", committer_ != nullptr ? committer_->durable() : checkpoint},
                                {"checkpoint_offset", checkpoint}}};
}

// Not while Reindex moves folders.
Result<std::unique_ptr<IndexBase>> EventLog::OpenToVisit() {
  const std::scoped_lock lock(checkpoint_mutex_);
  return IndexBase::Open(paths_.index(), IndexBase::Access::kRead, environment_);
}

Status EventLog::VisitStorage(const StorageScan& scan, StorageVisitor& visitor) {
  TURNLOG_TRY(MustBeOpen());
  VisitFiles(paths_.root, *environment_.files, scan, visitor);
  if (const Status status = VisitCompressedRecords(*segments_, visitor); !status) {
    visitor.OnUnreadable("log", status.error().message);
  }
  // The index files contain only prefix-compressed keys, so visit the entries, too.
  const auto index = OpenToVisit();
  if (!index) return visitor.OnUnreadable("index", index.error().message), Status();
  const auto walk = TURNLOG_TRY((*index)->Walk());
  for (; walk->Valid(); walk->Next()) visitor.OnEntry("index", walk->key(), walk->value());
  if (const Status status = walk->status(); !status) visitor.OnUnreadable("index", status.error().message);
  return {};
}

}  // namespace turnlog
