// Finds inconsistencies in a conversation and appends `repair` events (repair.h), by which the sanitized view drops,
// inserts and moves events. The log itself is never edited. docs/sanitizer_rules.md has the rules.
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
  kStrict,  // for logs in use: turn by turn, closes inquiries instead of dropping them, leaves the open tail alone
  kJp082,   // as jp's reference implementation: the whole conversation, including an open tail
};

// Its name in `repair` events, e.g. "strict".
std::string_view ToString(RepairProfile profile);

enum class RepairRule : std::uint8_t {
  kLeadingEvent,         // an event of a turn before the first chat_request: dropped
  kOrphanToolResult,     // a tool_call_response without a call in the conversation: dropped
  kInterruptedToolCall,  // a tool_call_request without a result in the conversation: an error result is inserted
  kOrphanInquiryAnswer,  // an inquiry_response without its request in the turn: dropped
  kOrphanInquiry,        // an inquiry_request without its response in the turn: dropped
  kTrailingTurn,         // a turn_start that nothing follows: dropped
  kRepeatedLeadingTurn,  // a turn_start before another one and the first chat_request: dropped
  kMissingLeadingTurn,   // no turn_start before the first chat_request: one is inserted
  kMovedToolResult,      // a tool_call_response in a later turn than the one call it can belong to: moved there
  kInterruptedInquiry,   // an inquiry_request without its response in a turn that is over: `cancelled` is inserted
  kEmptyTurn,            // a turn_start of a turn that is over and in which nothing happened: dropped
  kCompactionRange,      // a compaction of turns that are dropped or never existed: its range is adjusted
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
  Finding why;  // `why.seq` is dropped
};

struct Insert {
  Seq after;                   // 0: before the first event. Several after the same event keep their order.
  std::optional<Event> event;  // deterministic; none: the event at `why.seq` is moved here
  Finding why;
};

struct RepairPlan {
  Seq head;                     // the last event that the plan covers
  std::vector<Drop> drops;      // by seq
  std::vector<Insert> inserts;  // ascending by `after`
  std::vector<Finding> notes;   // inconsistencies that are not repaired

  bool empty() const { return drops.empty() && inserts.empty(); }
};

struct SanitizeOptions {
  RepairProfile profile = RepairProfile::kStrict;
  bool close_open = false;  // kStrict: also repair the last turn although an agent may still be working in it
  Durability durability = Durability::kSync;
};

// Plans all repairs of these events, regardless of existing repairs; ignores `repair` and `redaction` events. The event
// at index i has seq i + 1. Time: linear. Memory: kStrict: the open turn and what was found; kJp082: a few words per
// event.
RepairPlan PlanRepair(const SanitizeOptions& options, std::span<const Event> events);

// The events with the plan applied. REQUIRES: the plan was made from them.
std::vector<Event> ApplyToEvents(const RepairPlan& plan, std::span<const Event> events);

// The changes to make to a conversation's active repairs.
struct SanitizePlan {
  RepairPlan add;                     // repairs that are neither active nor suppressed
  std::vector<RepairTarget> retract;  // active repairs that are no longer needed, by anchor
  std::uint64_t open = 0;             // kStrict: how many more repairs `close_open` would add
  std::uint64_t events_read = 0;      // for this plan

  bool empty() const { return add.empty() && retract.empty(); }
};

// Writes nothing, and works on a log opened for reading. Cost: kStrict: the events from the turn that was last in the
// previous run of Sanitize; all events if there was no run, or if others have added or undone repairs since. kJp082:
// all events. Notes cover the events that were read.
Result<SanitizePlan> PlanSanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options = {});

struct SanitizeOutcome {
  SanitizePlan plan;         // as it was carried out
  std::vector<Seq> repairs;  // the `repair` events that say so; none if there was nothing to do
  Ticket ticket;             // of these; with Durability::kBuffered, Log::Wait makes them durable
};

// Plans and appends the plan's `repair` events, all or nothing. If the conversation grows meanwhile, the plan is
// extended to the new events; kConflict after too many attempts. Agents may append to it at the same time.
Result<SanitizeOutcome> Sanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options = {});

// A `repair` event of a conversation and its current effect.
struct RecordedRepair {
  Seq seq;
  std::optional<Timestamp> time;
  Repair repair;
  bool undone = false;
  std::vector<bool> in_force;  // for each of repair.items: whether it is active
};

// All of them, oldest first.
Result<std::vector<RecordedRepair>> ListRepairs(Log& log, const ConversationId& conversation);

// Undoes a `repair` event by appending another one, and returns its seq. Sanitize does not propose an undone repair
// again; undoing the undo reinstates it. kNotFound: there is no `repair` event at `seq`. kInvalidArgument: it has been
// undone already.
Result<Seq> UndoRepair(Log& log, const ConversationId& conversation, Seq seq,
                       Durability durability = Durability::kSync);

struct ScavengeOutcome {
  std::vector<Seq> events;  // erased events, ascending; with `dry_run`: those that would be erased
  std::uint64_t bytes = 0;  // of their payloads
};

// Erases for good what repairs in force have dropped (Log::Erase), but for the beginning of the last turn, which may go
// on. The sanitized view stays the same; undoing such a repair afterwards does not bring the events back. Cost: the
// conversation's repairs and what they have dropped. Unless `dry_run`, the watermark of kScavengeConsumer says how far
// that has been done: Log::ListChanged with kRepaired has the conversations in which there may be something to erase.
inline constexpr std::string_view kScavengeConsumer = "scavenge";
Result<ScavengeOutcome> Scavenge(Log& log, const ConversationId& conversation, bool dry_run = false);

}  // namespace turnlog
