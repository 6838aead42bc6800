// What does not fit together in a conversation, and what to do about it. A plan changes nothing: it says which events
// the sanitized view leaves out and which it adds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

enum class RepairProfile : std::uint8_t {
  kStrict,  // what a live log needs: turn by turn, closing instead of erasing, the open tail left alone
  kJp082,   // what jp's reference implementation does: over the whole conversation, and without regard to an open tail
};

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
  Seq seq;  // of the event; 0: of the conversation as a whole
  EventKind kind = EventKind::kUnknown;
  std::string id;  // of the tool call or inquiry, if the event has one
};

struct Drop {
  Finding why;  // `why.seq` goes
};

struct Insert {
  Seq after;    // 0: in front of everything. Of several behind the same event, the first comes first.
  Event event;  // always the same for the same conversation
  Finding why;
};

struct RepairPlan {
  Seq head;                     // the last event that the plan knows of
  std::vector<Drop> drops;      // by seq
  std::vector<Insert> inserts;  // by place
  std::vector<Finding> notes;   // what is wrong and not repaired

  bool empty() const { return drops.empty() && inserts.empty(); }
};

struct RepairOptions {
  RepairProfile profile = RepairProfile::kStrict;
  bool close_open = false;  // kStrict: repair the last turn too although somebody may still be at work in it
};

// The event at index i has seq i + 1. Time: linear. Memory: kStrict: the open turn and what was found; kJp082: a few
// words per event.
RepairPlan PlanRepair(const RepairOptions& options, std::span<const Event> events);
// The same of a conversation in the log, without holding it in memory.
Result<RepairPlan> PlanRepair(Log& log, const ConversationId& conversation, const RepairOptions& options);

// The events as the plan leaves them. REQUIRES: the plan was made from them.
std::vector<Event> ApplyToEvents(const RepairPlan& plan, std::span<const Event> events);

}  // namespace turnlog
