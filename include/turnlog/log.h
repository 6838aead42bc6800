// The log: append, read, look up, follow. One interface for every storage engine: it says what all of them promise;
// what only some can is in Capabilities. open_log.h opens a log by its place, segment_log.h has the engine in a folder.
//
// Threads: all members may be called from any thread at once; cursors and tails belong to one thread at a time.
// Processes: one that writes, unless Capabilities say more, and any number of readers beside it. A reader sees what was
// written before it opened the log or called Refresh().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/event.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"
#include "turnlog/types.h"

namespace turnlog {

// How far an append has got when the call returns.
enum class Durability : std::uint8_t {
  kBuffered,  // survives the death of this process, not that of the machine that keeps the log
  kSync,      // survives a crash or power loss of that machine; callers that wait at the same time share the cost
};

struct AppendOptions {
  Durability durability = Durability::kSync;
  // Refuse with kConflict unless this is the conversation's last seq (0 = new). It guards what is written: an append
  // of which every event is a repeat succeeds, so that it can be tried again after a lost acknowledgement.
  std::optional<Seq> expected_last;
};

struct AppendedEvent {
  Seq seq;
  bool repeated = false;  // its event_id was known: nothing was written, `seq` is the old one
  bool redacted = false;  // repeated, and the old event has been redacted since
};

// For Log::Wait. Opaque: what the number means is the engine's. The default is of nothing, and waits for nothing.
struct Ticket {
  std::uint64_t handle = 0;
};

struct AppendResult {
  std::vector<AppendedEvent> events;  // one per event passed in, in order
  Ticket ticket;
};

// One stored event. Views into the cursor's buffer: valid until the next call to Next.
struct Record {
  std::string_view conversation;
  Seq seq;
  Turn turn;  // tails: always 0. Sanitized view: of the log, at the place where the event is shown
  EventKind kind = EventKind::kUnknown;
  std::string_view payload;  // the encoded event, checksum verified; at a multiple of 8 in memory, as Decode reads it
  // Sanitized view: the rule of the repair that put it here, e.g. "interrupted-tool-call". Empty: the log has it here.
  std::string_view rule;
  bool inserted = false;  // sanitized view: by a repair; no event of the log, `seq` is 0
  bool redacted = false;  // Log::Redact put these contents in the place of what had been appended

  // Verifies the encoding and gives a view into `payload`. Cost: tens of nanoseconds.
  Result<EventView> Decode() const;
};

// An event whose contents have been destroyed by Log::Erase: which one it was, and of which kind. Not in the sanitized
// view.
struct Erased {
  std::string_view conversation;
  Seq seq;
  Turn turn;  // tails: always 0
  EventKind kind = EventKind::kUnknown;
};

struct EndOfLog {};

// What a cursor comes upon: a record, what is left of an erased one, bytes or seqs that cannot be trusted (reading may
// go on behind them), the end.
using Item = std::variant<EndOfLog, Record, Damage, Erased>;

class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual Result<Item> Next() = 0;
};

struct ReadOptions {
  Seq from{1};                              // first seq to give (backward: the newest one to give, 0 = the last)
  std::optional<Turn> from_turn;            // instead of `from`: the turn's first event
  std::optional<std::uint64_t> last_turns;  // instead of `from`: the last N turns
  bool backward = false;
  std::uint64_t limit = UINT64_MAX;
};

// A `repair` event and which seqs it touches.
struct RepairPlace {
  Seq seq;
  Seq from, to;
  bool operator==(const RepairPlace&) const = default;
};

// What a consumer of the log (the sanitizer, say) keeps of a conversation between two runs.
struct Watermark {
  Seq head;           // the consumer has seen the conversation up to here
  std::string state;  // opaque to the log
  bool operator==(const Watermark&) const = default;
};

struct EraseOptions {
  std::optional<Seq> expected_last;  // refuse with kConflict unless this is the conversation's last seq
};

struct EraseReport {
  std::uint64_t events = 0;  // those that had not been erased before
  std::uint64_t bytes = 0;   // of their encoded payloads
};

// What an event says from now on.
struct Replacement {
  Seq seq;
  EventView event;
};

struct RedactOptions {
  std::optional<Seq> expected_last;  // refuse with kConflict unless this is the conversation's last seq
};

struct RedactReport {
  Seq redaction;            // of the `redaction` event
  std::uint64_t bytes = 0;  // of the encoded payloads that were destroyed
};

struct ConversationInfo {
  std::string id;
  Seq last;
  std::uint64_t turns = 0;  // number of turn_start events
  std::uint64_t bytes = 0;  // encoded payloads
  std::optional<Timestamp> first_time, last_time;
  std::uint64_t pending = 0;  // inquiries that wait for an answer
};

// What became of one asking of an inquiry.
struct InquiryRecord {
  Turn turn;
  std::optional<Seq> request;   // none: a response that answers nothing in its turn
  std::optional<Seq> response;  // none: pending if the turn is the last one, else orphaned
  bool pending = false;
};

struct PendingInquiry {
  std::string conversation;
  Turn turn;
  Seq request;
};

// What only some engines can promise.
struct Capabilities {
  // The old bytes of what Erase and Redact destroy are overwritten where they lay when the call returns. Otherwise no
  // read gives them any more, and VisitStorage tells whether they are still stored.
  bool erases_in_place = false;
  // A tail of all conversations gives them in one order, the same for every reader. Otherwise only the order within a
  // conversation is certain.
  bool total_order = false;
  // AppendLater returns before the events are durable. Otherwise it is Append.
  bool appends_later = false;
  // Several processes may have the log open for writing at once.
  bool many_writers = false;
};

// One figure that an engine gives of itself, e.g. "segment_bytes".
struct StoreFigure {
  std::string name;  // stable, in snake_case
  std::uint64_t value = 0;
};

struct StoreStats {
  std::string store_id;
  std::string engine;  // "segments"
  std::uint32_t format_version = 0;
  std::uint64_t conversations = 0, events = 0, payload_bytes = 0;
  std::vector<StoreFigure> figures;  // of the engine, in an order that suits people

  // Nothing if the engine has no such figure.
  std::optional<std::uint64_t> Figure(std::string_view name) const;
};

// Follows the whole log, or one conversation: each event once, those of a conversation in order of seq (see
// Capabilities::total_order). Events of an append that is still being written are not shown. Record views are valid
// until the next call.
class Tail {
 public:
  virtual ~Tail() = default;
  // EndOfLog means: nothing more now. Works beside a writer in this or another process.
  virtual Result<Item> Next() = 0;
  // True when there is more, false when `timeout` passed.
  virtual Result<bool> Wait(std::chrono::milliseconds timeout) = 0;
  // Just after the last record that was given: pass it to Log::Follow after a restart to continue from there.
  virtual Position position() const = 0;
};

class Log {
 public:
  virtual ~Log() = default;

  virtual Capabilities capabilities() const = 0;

  // Appends all events to one conversation, or none; creates the conversation with its first event. After kIo or
  // kNeedsReopen they may be in the log or not: open it again and append them again under the same event_id.
  virtual Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                                      const AppendOptions& options = {}) = 0;
  // The same without waiting: order and seqs are settled when it returns, durability when Wait returns. Events that no
  // call waits for are written with the next ones that a call waits for, or by Close.
  virtual Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                           const AppendOptions& options = {}) = 0;
  virtual Status Wait(Ticket ticket, Durability durability) = 0;

  // Destroys the contents of these events, in any order; those erased before are fine. When it returns, no read gives
  // them any more (Capabilities::erases_in_place tells what that means for the bytes). Everything else stays: seqs,
  // turns, what is pending, which event ids and inquiries there were. kNotFound: there is no such seq; kCorruption: one
  // of them is damaged; kInvalidArgument: one is a `repair` or `redaction`, which say how the rest is to be read.
  // Nothing has happened then. After kIo or kNeedsReopen, opening the log for writing again finishes the erasure, or
  // nothing has happened. Cost: what is erased.
  virtual Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                    const EraseOptions& options = {}) = 0;

  // Gives events other contents, destroys the old ones, and appends `redaction`, which records it: all of it or
  // nothing, whatever happens meanwhile. An event keeps its seq, kind, time, event_id and inquiry id (kInvalidArgument
  // otherwise), and all that is known by them: what is pending, which turn it is in; its size is still counted as it
  // was appended. When it returns, no read gives the old contents any more, as after Erase; reads at the same time give
  // the old event or the new one. At least one replacement, ascending, none of them of an erased event; kCorruption:
  // one of them is damaged. After kIo or kNeedsReopen, opening the log for writing again finishes the redaction, or
  // nothing has happened. Cost: what is replaced, and as much memory.
  virtual Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                      const EventView& redaction, const RedactOptions& options = {}) = 0;

  Result<AppendResult> Append(const ConversationId& conversation, const Event& event,
                              const AppendOptions& options = {});
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const Event> events,
                              const AppendOptions& options = {});

  // The sanitized view: the conversation as its repairs have it, without the `repair` events themselves, as of one
  // moment: events and repairs appended after the call are not shown. Seqs, turns and where reading begins are those of
  // the log: from the event at `from` on, with what is shown after it; what is shown before all events comes with event
  // 1. Without repairs it costs what ReadRaw does. kNotFound if there is no such conversation. The cursor must not
  // outlive the log.
  Result<std::unique_ptr<Cursor>> Read(const ConversationId& conversation, const ReadOptions& options = {});
  // What was appended, in order of seq, up to the last event at the time of the call.
  virtual Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation,
                                                  const ReadOptions& options = {}) = 0;
  virtual Result<ConversationInfo> Info(const ConversationId& conversation) = 0;
  // Conversations in order of their ids, those after `after`, `limit` at most.
  virtual Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) = 0;

  // Every attempt under this inquiry id in the conversation, oldest first; empty if there was none. When `id` has
  // parts, only records that were written with the same parts match.
  virtual Result<std::vector<InquiryRecord>> FindInquiry(const ConversationId& conversation,
                                                         const InquiryIdView& id) = 0;
  // What waits for an answer, in one conversation or in all. Cost: what it returns.
  virtual Result<std::vector<PendingInquiry>> Pending(const std::optional<ConversationId>& conversation) = 0;

  // The conversation's `repair` events, oldest first. Cost: their number.
  virtual Result<std::vector<RepairPlace>> Repairs(const ConversationId& conversation) = 0;
  // What SetWatermark was given last; nothing if it never was, or if the engine has lost it since: a consumer must be
  // able to start again. `consumer`: its name, 1 to 32 bytes of a-z, 0-9, '-' and '_', e.g. "sanitize"
  // (kInvalidArgument otherwise).
  virtual Result<std::optional<Watermark>> FindWatermark(std::string_view consumer,
                                                         const ConversationId& conversation) = 0;
  // Durable at the next Checkpoint at the latest, never before the events that it has seen. Ignored if the conversation
  // does not reach to its head. kReadOnly for readers.
  virtual Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                              const Watermark& watermark) = 0;
  // Like List, but only conversations that have grown since the consumer's watermark, or have none. Cost: what it
  // returns.
  virtual Result<std::vector<ConversationInfo>> ListChanged(std::string_view consumer, std::string_view after,
                                                            std::size_t limit) = 0;

  // kInvalidArgument: `from` is not of this engine; kConflict: it is not of this store, or of events that were lost
  // since because they had not been durable. The tail must not outlive the log.
  virtual Result<std::unique_ptr<Tail>> Follow(const Position& from,
                                               const std::optional<ConversationId>& conversation = {}) = 0;
  // After the last record: where a tail starts that wants only what comes next.
  virtual Result<Position> End() = 0;

  virtual Result<StoreStats> Stats() = 0;
  // Shows all that the engine keeps of the store to a searcher, also what no read gives any more. What it cannot show
  // it names (StorageVisitor::OnUnreadable), so that nothing passes as searched that was not. Works beside writers:
  // what was stored at the time of the call is shown, what comes meanwhile perhaps. Cost: the whole store.
  virtual Status VisitStorage(const StorageScan& scan, StorageVisitor& visitor) = 0;
  // What opening came upon that a user should be told, a sentence each: that there is no usable index, so that answers
  // take long, and what helps.
  virtual std::vector<std::string> OpenNotes() const { return {}; }
  // Readers: take in what has been written meanwhile. Writers: nothing to do.
  virtual Status Refresh() = 0;
  // Makes durable everything that was appended so far and what the engine derives from it, so that the next open has
  // little to do.
  virtual Status Checkpoint() = 0;
  // Checkpoint and release. The destructor does the same and drops the error; calls after it fail. Cursors and tails
  // must be gone before.
  virtual Status Close() = 0;
};

enum class OpenMode : std::uint8_t {
  kRead,       // beside writers; changes nothing
  kWrite,      // the store must exist
  kCreate,     // creates the store if it does not exist
  kCreateNew,  // the store must not exist
};

}  // namespace turnlog
