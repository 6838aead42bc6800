// What does not fit together in a conversation, and what is done about it: `repair` events (repair.h) that say what the
// sanitized view leaves out, adds and moves. The log itself is never edited. docs/sanitizer_rules.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/repair.h"
#include "turnlog/result.h"

namespace turnlog {

enum class RepairProfile : std::uint8_t {
  kStrict,  // what a live log needs: turn by turn, closing instead of erasing, the open tail left alone
  kJp082,   // what jp's reference implementation does: over the whole conversation, and without regard to an open tail
};

// Its name in `repair` events, e.g. "strict".
std::string_view ToString(RepairProfile profile);

enum class RepairRule : std::uint8_t {
  kLeadingEvent,         // an event of a turn before the first chat_request: dropped
  kOrphanToolResult,     // a tool_call_response whose call is nowhere: dropped
  kInterruptedToolCall,  // a tool_call_request whose result is nowhere: an error result is inserted
  kOrphanInquiryAnswer,  // an inquiry_response without its request in the turn: dropped
  kOrphanInquiry,        // an inquiry_request without its response in the turn: dropped
  kTrailingTurn,         // a turn_start that nothing follows: dropped
  kRepeatedLeadingTurn,  // a turn_start before another one and the first chat_request: dropped
  kMissingLeadingTurn,   // no turn_start before the first chat_request: one is inserted
  kMovedToolResult,      // a tool_call_response in a later turn than the one call it can belong to: moved there
  kInterruptedInquiry,   // an inquiry_request without its response in a turn that is over: `cancelled` is inserted
  kEmptyTurn,            // a turn_start of a turn that is over and in which nothing happened: dropped
  kCompactionRange,  // a compaction that names turns which are dropped: its range follows; or turns which never were
};

// The rule's name in reports and repair events, e.g. "orphan-tool-result".
std::string_view ToString(RepairRule rule);

// A rule that an event breaks.
struct Finding {
  RepairRule rule{};
  Seq seq;  // of the event
  EventKind kind = EventKind::kUnknown;
  std::string id;  // of the tool call or inquiry, if the event has one
};

struct Drop {
  Finding why;  // `why.seq` goes
};

struct Insert {
  Seq after;                   // 0: in front of everything. Of several behind the same event, the first comes first.
  std::optional<Event> event;  // always the same for the same conversation; none: the event at `why.seq` is moved here
  Finding why;
};

struct RepairPlan {
  Seq head;                     // the last event that the plan knows of
  std::vector<Drop> drops;      // by seq
  std::vector<Insert> inserts;  // by place
  std::vector<Finding> notes;   // what is wrong and not repaired

  bool empty() const { return drops.empty() && inserts.empty(); }
};

struct SanitizeOptions {
  RepairProfile profile = RepairProfile::kStrict;
  bool close_open = false;  // kStrict: repair the last turn too although somebody may still be at work in it
  Durability durability = Durability::kSync;
};

// All that these events need, whatever has been done about them; `repair` and `redaction` events do not count. The
// event at index i has seq i + 1. Time: linear. Memory: kStrict: the open turn and what was found; kJp082: a few words
// per event.
RepairPlan PlanRepair(const SanitizeOptions& options, std::span<const Event> events);

// The events as the plan leaves them. REQUIRES: the plan was made from them.
std::vector<Event> ApplyToEvents(const RepairPlan& plan, std::span<const Event> events);

// What is to be done about a conversation in the log, beyond what its repairs do already.
struct SanitizePlan {
  RepairPlan add;                     // what is neither in force nor was undone by somebody
  std::vector<RepairTarget> retract;  // what is in force and must not be any more, by place
  std::uint64_t open = 0;             // kStrict: how many repairs more `close_open` would make
  std::uint64_t events_read = 0;      // to find this out

  bool empty() const { return add.empty() && retract.empty(); }
};

// Writes nothing, and works on a log that was opened for reading. Cost: kStrict: the events since the beginning of the
// turn that was the last one when Sanitize saw the conversation last; all of them if it never did, or if anybody else
// has repaired or undone anything since. kJp082: all of them. Notes are of the events that were read.
Result<SanitizePlan> PlanSanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options = {});

struct SanitizeOutcome {
  SanitizePlan plan;         // as it was carried out
  std::vector<Seq> repairs;  // the `repair` events that say so; none if there was nothing to do
  Ticket ticket;             // of these; with Durability::kBuffered, Log::Wait makes them durable
};

// Plans and appends what the plan says, all or nothing. A conversation that grows meanwhile is planned again, from
// where it was; kConflict if that happens again and again. Agents may append to it at the same time.
Result<SanitizeOutcome> Sanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options = {});

// A `repair` event of a conversation, and what has become of it.
struct RecordedRepair {
  Seq seq;
  std::optional<Timestamp> time;
  Repair repair;
  bool undone = false;
  std::vector<bool> in_force;  // for each of repair.items
};

// All of them, oldest first.
Result<std::vector<RecordedRepair>> ListRepairs(Log& log, const ConversationId& conversation);

// Takes a `repair` event back by appending another, and gives the seq of that. What was undone is not repaired again by
// Sanitize; undoing the undoing brings it back. kNotFound: there is no `repair` event at `seq`. kInvalidArgument: it
// has been undone already.
Result<Seq> UndoRepair(Log& log, const ConversationId& conversation, Seq seq,
                       Durability durability = Durability::kSync);

struct ScavengeOutcome {
  std::vector<Seq> events;  // that were erased, ascending; with `dry_run`: that would be
  std::uint64_t bytes = 0;  // of their payloads
};

// Erases for good what repairs in force have dropped (Log::Erase), but for the beginning of the last turn, which may go
// on. The sanitized view stays the same; undoing such a repair afterwards does not bring the events back. Cost: the
// conversation's repairs and what they have dropped. Unless `dry_run`, the watermark of kScavengeConsumer says how far
// that has been done: Log::ListChanged has the conversations in which there may be something to erase.
inline constexpr std::string_view kScavengeConsumer = "scavenge";
Result<ScavengeOutcome> Scavenge(Log& log, const ConversationId& conversation, bool dry_run = false);

}  // namespace turnlog
