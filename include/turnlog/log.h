// The log: append, read, look up, follow. One interface for every storage engine.
//
// Threads: all members may be called from any thread at once; cursors and tails belong to one thread at a time.
// Processes: one writer, any number of readers beside it. A reader sees what the writer has handed to the operating
// system, up to its own open or last Refresh().
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
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
#include "turnlog/types.h"

namespace turnlog {

// How far an append has got when the call returns.
enum class Durability : std::uint8_t {
  kBuffered,  // handed to the operating system: survives the process, not the machine
  kSync,      // on disk; callers that wait at the same time share one sync
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

// Waits for an append that was made with AppendLater.
struct Ticket {
  std::uint64_t offset = 0;
};

struct Receipt {
  std::vector<AppendedEvent> events;  // one per event passed in, in order
  Ticket ticket;
};

// One stored event. Views into the cursor's buffer: valid until the next call to Next.
struct Record {
  std::string_view conversation;
  Seq seq;
  Turn turn;  // tails: always 0. Sanitized view: of the log, at the place where the event is shown
  EventKind kind = EventKind::kUnknown;
  std::string_view payload;  // the encoded event, checksum verified
  // Sanitized view: the rule of the repair that put it here, e.g. "interrupted-tool-call". Empty: the log has it here.
  std::string_view rule;
  bool inserted = false;  // sanitized view: by a repair; no event of the log, `seq` is 0
  bool redacted = false;  // Log::Redact put these contents in the place of what had been appended

  // Verifies the encoding and gives a view into `payload`. Cost: tens of nanoseconds.
  Result<EventView> Decode() const;
};

// An event whose contents have been destroyed by Log::Erase: where it stood, and that it was one of this kind. Not in
// the sanitized view.
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

// What the sanitizer keeps of a conversation between two runs.
struct Watermark {
  Seq head;           // it has seen the conversation up to here
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

struct StoreStats {
  std::string store_id;
  std::uint32_t format_version = 0;
  std::uint64_t conversations = 0, events = 0, payload_bytes = 0;
  std::uint64_t segments = 0, segment_bytes = 0, index_bytes = 0;
  std::uint64_t end_offset = 0;         // where the next record goes
  std::uint64_t durable_offset = 0;     // how far the log is known to be on disk
  std::uint64_t checkpoint_offset = 0;  // how far the index on disk goes
};

// Follows the whole log, or one conversation, in the order of appending. Events of an append that is still being
// written are not shown. Record views are valid until the next call.
class Tail {
 public:
  virtual ~Tail() = default;
  // EndOfLog means: nothing more now. Works beside a writer in this or another process.
  virtual Result<Item> Next() = 0;
  // True when there is more, false when `timeout` passed.
  virtual Result<bool> Wait(std::chrono::milliseconds timeout) = 0;
  // Behind the last record given: pass it to Log::Follow after a restart to go on from there.
  virtual Position position() const = 0;
};

class Log {
 public:
  virtual ~Log() = default;

  // Appends all events to one conversation, or none; creates the conversation with its first event.
  virtual Result<Receipt> Append(const ConversationId& conversation, std::span<const EventView> events,
                                 const AppendOptions& options = {}) = 0;
  // The same without waiting: order and seqs are settled when it returns, durability when Wait returns.
  // An append that nobody waits for is written with the next one that somebody waits for, or by Close.
  virtual Result<Receipt> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                      const AppendOptions& options = {}) = 0;
  virtual Status Wait(Ticket ticket, Durability durability) = 0;

  // Destroys the contents of these events where they stand, in any order; those erased before are fine. When it
  // returns, their bytes are overwritten on disk. Everything else stays: seqs, turns, what is pending, which event ids
  // and inquiries there were. kNotFound: there is no such seq; kCorruption: one of them is damaged; kInvalidArgument:
  // one is a `repair` or `redaction`, which say how the rest is to be read. Nothing has happened then. After kIo or
  // kNeedsReopen, the next one to open the store for writing erases all of them, or none. Cost: what is erased.
  virtual Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                    const EraseOptions& options = {}) = 0;

  // Gives events other contents, destroys the old ones where they stand, and appends `redaction`, which tells of it:
  // all of it or nothing, whatever happens meanwhile. An event keeps its seq, place, kind, time, event_id and inquiry
  // id (kInvalidArgument otherwise), and all that is known by them: what is pending, which turn it is in; its size is
  // still counted as it was appended. When it returns, the old bytes are overwritten on disk. Readers beside it see the
  // old event or the new one. At least one replacement, ascending, none of them of an erased event; kCorruption: one of
  // them is damaged. After kIo or kNeedsReopen, the next one to open the store for writing brings it to its end, or it
  // has not happened. Cost: what is replaced, and as much memory.
  virtual Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                      const EventView& redaction, const RedactOptions& options = {}) = 0;

  Result<Receipt> Append(const ConversationId& conversation, const Event& event, const AppendOptions& options = {});
  Result<Receipt> Append(const ConversationId& conversation, std::span<const Event> events,
                         const AppendOptions& options = {});

  // The sanitized view: the conversation as its repairs have it, and without the `repair` events themselves. Seqs,
  // turns and where reading begins are those of the log: from the event at `from` on, with what is shown behind it;
  // what stands in front of everything comes with event 1. Without repairs it costs what ReadRaw does. kNotFound if
  // there is no such conversation. The cursor must not outlive the log.
  Result<std::unique_ptr<Cursor>> Read(const ConversationId& conversation, const ReadOptions& options = {});
  // What was appended, in order of seq.
  virtual Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation,
                                                  const ReadOptions& options = {}) = 0;
  virtual Result<ConversationInfo> Info(const ConversationId& conversation) = 0;
  // Conversations in order of their ids, `limit` at most, behind `after`.
  virtual Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) = 0;

  // Every asking of this inquiry id in the conversation, oldest first; empty if there was none. When `id` has parts,
  // only records that were written with the same parts match.
  virtual Result<std::vector<InquiryRecord>> FindInquiry(const ConversationId& conversation,
                                                         const InquiryIdView& id) = 0;
  // What waits for an answer, in one conversation or in all. Cost: what it returns.
  virtual Result<std::vector<PendingInquiry>> Pending(const std::optional<ConversationId>& conversation) = 0;

  // The conversation's `repair` events, oldest first. Cost: their number.
  virtual Result<std::vector<RepairPlace>> Repairs(const ConversationId& conversation) = 0;
  // What SetWatermark was given last; none after the index has been made anew, or if it never was.
  virtual Result<std::optional<Watermark>> FindWatermark(const ConversationId& conversation) = 0;
  // On disk with the next checkpoint, together with the events that it has seen. Ignored if the conversation does not
  // reach to its head. kReadOnly for readers.
  virtual Status SetWatermark(const ConversationId& conversation, const Watermark& watermark) = 0;
  // Like List, but only conversations that have grown since their watermark, or have none. Cost: what it returns.
  virtual Result<std::vector<ConversationInfo>> ListChanged(std::string_view after, std::size_t limit) = 0;

  virtual Result<std::unique_ptr<Tail>> Follow(Position from,
                                               const std::optional<ConversationId>& conversation = {}) = 0;
  // Behind the last record: where a tail starts that wants only what comes next.
  virtual Result<Position> End() = 0;

  virtual Result<StoreStats> Stats() = 0;
  // Readers: take in what the writer has added meanwhile. Writers: nothing to do.
  virtual Status Refresh() = 0;
  // Everything appended so far onto the disk, and the index behind it, so that the next open has nothing to replay.
  virtual Status Checkpoint() = 0;
  // Checkpoint and release. The destructor does the same and swallows the error; calls after it fail. Cursors and tails
  // must be gone before: a tail fails from then on and must not outlive the log; a cursor of ReadRaw reads on, but as
  // long as it is there nobody, in this process or another, can open the store for writing (kIo).
  virtual Status Close() = 0;
};

enum class OpenMode : std::uint8_t {
  kRead,       // beside a writer, or on a read-only disk; the index on disk is not touched
  kWrite,      // the store must be there
  kCreate,     // made if it is not there
  kCreateNew,  // must not be there
};

struct OpenOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;                                        // who we are, for the error that another writer gets
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;     // files of the log grow up to this size
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;  // replayed at most after a crash, about
};

Result<std::unique_ptr<Log>> OpenLog(const std::filesystem::path& path, const OpenOptions& options = {});

}  // namespace turnlog
