// The log: append, read, look up, follow. One interface for all storage engines, with what all of them guarantee; see
// Capabilities for the rest. open_log.h opens a log by its location, segment_log.h has the engine in a folder.
//
// Threads: all members may be called from any thread at once; cursors and tails belong to one thread at a time.
// Processes: one writer, unless Capabilities say otherwise, and any number of readers beside it. A reader sees what was
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

// What an append guarantees when the call returns.
enum class Durability : std::uint8_t {
  kBuffered,  // survives a crash of this process, not of the machine that keeps the log
  kSync,      // survives a crash or power loss of that machine; concurrent callers share the sync
};

struct AppendOptions {
  Durability durability = Durability::kSync;
  // Refuse with kConflict unless this is the conversation's last seq (0 = new). Only checked if something is written:
  // an append whose events are all repeats succeeds, so that it can be retried after a lost acknowledgement.
  std::optional<Seq> expected_last;
};

struct AppendedEvent {
  Seq seq;
  bool repeated = false;  // its event_id is in the log: nothing was written, `seq` is the old one
  bool redacted = false;  // repeated, and the old event has been redacted since
};

// For Log::Wait. Opaque: its meaning belongs to the engine. Waiting for a default ticket returns at once.
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
  Turn turn;  // tails: always 0. Sanitized view: the turn in which the event is shown
  EventKind kind = EventKind::kUnknown;
  std::string_view payload;  // the encoded event, checksum verified; 8-byte aligned for Decode
  // Sanitized view: the rule of the repair that shows it here, e.g. "interrupted-tool-call". Empty: not repaired.
  std::string_view rule;
  bool inserted = false;  // sanitized view: inserted by a repair, not in the log; `seq` is 0
  bool redacted = false;  // Log::Redact has replaced the contents that were appended

  // Verifies the encoding and gives a view into `payload`. Cost: tens of nanoseconds.
  Result<EventView> Decode() const;
  // The event's time alone, at a fraction of that cost.
  Result<std::optional<Timestamp>> Time() const;
};

// An event whose contents have been destroyed by Log::Erase. Only its seq and kind are left. Not in the sanitized
// view.
struct Erased {
  std::string_view conversation;
  Seq seq;
  Turn turn;  // tails: always 0
  EventKind kind = EventKind::kUnknown;
};

struct EndOfLog {};

// What a cursor returns: a record, an erased event, damage (reading can continue after it), or the
// end.
using Item = std::variant<EndOfLog, Record, Damage, Erased>;

class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual Result<Item> Next() = 0;
};

struct ReadOptions {
  Seq from{1};                              // first seq to return (backward: the newest one, 0 = the last)
  std::optional<Turn> from_turn;            // instead of `from`: the turn's first event
  std::optional<std::uint64_t> last_turns;  // instead of `from`: the last N turns
  bool backward = false;
  std::uint64_t limit = UINT64_MAX;
};

// A `repair` event and the range of seqs that it touches.
struct RepairRange {
  Seq seq;
  Seq from, to;
  bool operator==(const RepairRange&) const = default;
};

// The state that a consumer of the log (e.g. the sanitizer) keeps for a conversation between two runs.
struct Watermark {
  Seq head;           // the consumer has seen the conversation up to here
  std::string state;  // opaque to the log
  bool operator==(const Watermark&) const = default;
};

// Which of the changed conversations are listed.
enum class Changes : std::uint8_t {
  kAll,
  kRepaired,  // only those with `repair` events
};

struct EraseOptions {
  std::optional<Seq> expected_last;  // refuse with kConflict unless this is the conversation's last seq
};

struct EraseReport {
  std::uint64_t events = 0;  // newly erased
  std::uint64_t bytes = 0;   // of their encoded payloads
};

// New contents of an event.
struct Replacement {
  Seq seq;
  EventView event;
};

struct RedactOptions {
  std::optional<Seq> expected_last;  // refuse with kConflict unless this is the conversation's last seq
};

struct RedactReport {
  Seq redaction;            // of the `redaction` event
  std::uint64_t bytes = 0;  // of the destroyed payloads, encoded
};

struct ConversationInfo {
  std::string id;
  Seq last;
  std::uint64_t turns = 0;  // number of turn_start events
  std::uint64_t bytes = 0;  // encoded payloads
  std::optional<Timestamp> first_time, last_time;
};

// One attempt of an inquiry and its outcome.
struct InquiryRecord {
  Turn turn;
  std::optional<Seq> request;   // none: an unmatched response
  std::optional<Seq> response;  // none: pending if the turn is the last one, else orphaned
  bool pending = false;
};

struct PendingInquiry {
  std::string conversation;
  Turn turn;
  Seq request;
};

// Guarantees that only some engines give.
struct Capabilities {
  // Erase and Redact overwrite the old bytes in place before they return. Otherwise no read returns the old contents
  // any more, and VisitStorage shows whether they are still stored.
  bool erases_in_place = false;
  // A tail of all conversations returns the same order to every reader. Otherwise only the order within a conversation
  // is defined.
  bool total_order = false;
  // AppendLater returns before the events are durable. Otherwise it is Append.
  bool appends_later = false;
  // Several processes may have the log open for writing at once.
  bool many_writers = false;
};

// One figure of an engine's statistics, e.g. "segment_bytes".
struct StoreFigure {
  std::string name;  // stable, in snake_case
  std::uint64_t value = 0;
};

struct StoreStats {
  std::string store_id;
  std::string engine;  // "segments"
  std::uint32_t format_version = 0;
  std::string compression = {};  // of new events: "none", "fast", "small"; empty: the engine has no such setting
  std::uint64_t conversations = 0, events = 0, payload_bytes = 0;
  std::vector<StoreFigure> figures;  // of the engine, in display order

  // Nothing if the engine does not have it.
  std::optional<std::uint64_t> Figure(std::string_view name) const;
};

// Follows the whole log, or one conversation: each event once, those of a conversation in order of seq (see
// Capabilities::total_order). Events of an append that is still being written are not shown. Record views are valid
// until the next call.
class Tail {
 public:
  virtual ~Tail() = default;
  // EndOfLog: nothing more at the moment. Works beside a writer in this or another process.
  virtual Result<Item> Next() = 0;
  // True when there is more, false after `timeout`.
  virtual Result<bool> Wait(std::chrono::milliseconds timeout) = 0;
  // The position after the last returned record: pass it to Log::Follow after a restart to continue there.
  virtual Position position() const = 0;
};

class Log {
 public:
  virtual ~Log() = default;

  virtual Capabilities capabilities() const = 0;

  // Appends all events to one conversation, or none; creates the conversation with its first event. After kIo or
  // kNeedsReopen they may be in the log or not: reopen the log and append them again with the same event_ids.
  virtual Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                                      const AppendOptions& options = {}) = 0;
  // The same without waiting: order and seqs are final when it returns, durability when Wait returns. Events that no
  // call waits for are written with the next write, or by Close.
  virtual Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                           const AppendOptions& options = {}) = 0;
  virtual Status Wait(Ticket ticket, Durability durability) = 0;

  // Destroys the contents of these events, in any order; events erased before are ignored. When it returns, no read
  // returns the contents any more (for the stored bytes see Capabilities::erases_in_place). Everything else stays:
  // seqs, turns, pending inquiries, known event ids and inquiries. kNotFound: there is no such seq; kCorruption: one of
  // them is damaged; kInvalidArgument: one is a `repair` or `redaction`, which describe other events. These errors
  // change nothing. After kIo or kNeedsReopen, reopening the log for writing finishes the erasure, or it never
  // happened. Cost: what is erased.
  virtual Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                    const EraseOptions& options = {}) = 0;

  // Replaces the contents of events, destroys the old contents, and appends `redaction`, which records it: all or
  // nothing, even after a crash. An event keeps its seq, kind, time, event_id and inquiry id (kInvalidArgument
  // otherwise), and thereby its turn and whether it is pending; statistics still count its original size. When it
  // returns, no read returns the old contents any more, as after Erase; concurrent reads return the old event or the
  // new one. At least one replacement, ascending, none of an erased event; kCorruption: one of the events is damaged.
  // After kIo or kNeedsReopen, reopening the log for writing finishes the redaction, or it never happened. Cost: what
  // is replaced, in time and memory.
  virtual Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                      const EventView& redaction, const RedactOptions& options = {}) = 0;

  Result<AppendResult> Append(const ConversationId& conversation, const Event& event,
                              const AppendOptions& options = {});
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const Event> events,
                              const AppendOptions& options = {});

  // The sanitized view: the conversation with its active repairs applied, without the `repair` events themselves. A
  // snapshot: events and repairs appended after the call are not shown. Seqs, turns and the options refer to the log:
  // reading begins with the event at `from` and the events shown after it; events shown before the first one come with
  // event 1. Without repairs it costs the same as ReadRaw. kNotFound: there is no such conversation. The cursor must
  // not outlive the log.
  Result<std::unique_ptr<Cursor>> Read(const ConversationId& conversation, const ReadOptions& options = {});
  // What was appended, in order of seq, up to the last event at the time of the call.
  virtual Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation,
                                                  const ReadOptions& options = {}) = 0;
  virtual Result<ConversationInfo> Info(const ConversationId& conversation) = 0;
  // Conversations in order of their ids, greater than `after`, at most `limit`.
  virtual Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) = 0;

  // All attempts with this inquiry id in the conversation, oldest first; empty if there are none. If `id` has a key,
  // only records with an equal key match. What is pending is what Pending returns.
  Result<std::vector<InquiryRecord>> FindInquiry(const ConversationId& conversation, const InquiryIdView& id);
  // The pending inquiries of one conversation or of all: those that the sanitized view shows without a response in the
  // last turn (if an event of that turn is damaged, those of PendingRaw). Cost: what PendingRaw returns, and the last
  // turns of those conversations in it that have repairs.
  Result<std::vector<PendingInquiry>> Pending(const std::optional<ConversationId>& conversation);
  // The same two of what was appended: as if nothing had been repaired. Cost: what they return.
  virtual Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                            const InquiryIdView& id) = 0;
  virtual Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) = 0;

  // The conversation's `repair` events, oldest first. Cost: their number.
  virtual Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) = 0;
  // The last watermark set; nothing if there is none or the engine has lost it: a consumer must be able to start
  // over. `consumer`: its name, 1 to 32 bytes of a-z, 0-9, '-' and '_', e.g. "sanitize" (kInvalidArgument
  // otherwise). `conversation` need not exist: a consumer may keep other state there, with a head of 0.
  virtual Result<std::optional<Watermark>> FindWatermark(std::string_view consumer,
                                                         const ConversationId& conversation) = 0;
  // Durable at the next Checkpoint at the latest, never before the events up to its head. Ignored if the conversation
  // is shorter than that. kReadOnly for readers.
  virtual Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                              const Watermark& watermark) = 0;
  // Like List, but only conversations without a watermark of the consumer, or with events after it. Cost: what it
  // returns; with kRepaired, what it would return with kAll, or nothing if no conversation has `repair` events.
  virtual Result<std::vector<ConversationInfo>> ListChanged(std::string_view consumer, std::string_view after,
                                                            std::size_t limit, Changes which = Changes::kAll) = 0;

  // kInvalidArgument: `from` is of another engine; kConflict: it is of another store, or of events that were not
  // durable and have been lost in a crash. The tail must not outlive the log.
  virtual Result<std::unique_ptr<Tail>> Follow(const Position& from,
                                               const std::optional<ConversationId>& conversation = {}) = 0;
  // The position after the last record: a tail from there returns only new records.
  virtual Result<Position> End() = 0;

  virtual Result<StoreStats> Stats() = 0;
  // Shows everything that the engine stores to `visitor`, including data that no read returns any more. Reports what it
  // cannot show (StorageVisitor::OnUnreadable), so that the caller knows what was not searched. Works beside writers:
  // shows what was stored at the time of the call, and possibly later data. Cost: the whole store.
  virtual Status VisitStorage(const StorageScan& scan, StorageVisitor& visitor) = 0;
  // Notes of the open for the user, one sentence each: for example that there is no usable index, that reads are
  // therefore slow, and how to repair that.
  virtual std::vector<std::string> OpenNotes() const { return {}; }
  // Readers: show what has been written meanwhile. Writers: no effect.
  virtual Status Refresh() = 0;
  // Makes everything appended so far and the data derived from it durable, so that the next open has little to
  // do.
  virtual Status Checkpoint() = 0;
  // Writes a checkpoint and releases the store; the destructor and the exit of the process do the same and drop the
  // error. Other threads may be using the log: calls after it fail with kNeedsReopen, also of cursors and tails.
  virtual Status Close() = 0;

 protected:
  struct RawView;
  // What Read needs. An engine that finds it all in one look at the conversation overrides this.
  virtual Result<RawView> FindView(const ConversationId& conversation, const ReadOptions& options);
};

enum class OpenMode : std::uint8_t {
  kRead,       // beside writers; changes nothing
  kWrite,      // the store must exist
  kCreate,     // creates the store if it does not exist
  kCreateNew,  // the store must not exist
};

}  // namespace turnlog
