// Conversations in a log, written in shorthand (tests/support/story.h), sanitized and compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/store/log_fixture.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

inline constexpr SanitizeOptions kStrictly{.durability = Durability::kBuffered};
inline constexpr SanitizeOptions kClosing{.close_open = true, .durability = Durability::kBuffered};
inline constexpr SanitizeOptions kLikeJp{.profile = RepairProfile::kJp082, .durability = Durability::kBuffered};

// Appends the story; every event of the conversation has a different time.
void AppendStory(Log& log, std::string_view conversation, std::string_view story);

// The raw events, including `repair` events: seq n is at n - 1.
std::vector<Event> RawEvents(Log& log, std::string_view conversation);
// The sanitized view.
std::vector<Event> ShownEvents(Log& log, std::string_view conversation);

// The planner's result for the events without any earlier repairs.
std::vector<Event> SanitizedAfresh(Log& log, std::string_view conversation, const SanitizeOptions& options);

// "drop 5 orphan-tool-result", "insert 7<7 interrupted-tool-call", "move 12<9 moved-tool-result": place, cause, rule.
std::string Brief(const RepairTarget& target);
// The added repairs, and "retract ..." for the retracted ones.
std::vector<std::string> Brief(const SanitizePlan& plan);
// The active repairs, ordered by text.
std::vector<std::string> ActiveNow(Log& log, std::string_view conversation);

// One conversation "c".
class SanitizeTest : public LogTest {
 protected:
  void AppendStory(std::string_view story) { turnlog::AppendStory(*log_, "c", story); }
  std::string Shown() const;
  SanitizePlan Plan(const SanitizeOptions& options = kStrictly) { return Must(PlanSanitize(*log_, Id("c"), options)); }
  SanitizeOutcome Run(const SanitizeOptions& options = kStrictly) { return Must(Sanitize(*log_, Id("c"), options)); }
  Seq Undo(Seq seq) { return Must(UndoRepair(*log_, Id("c"), seq, Durability::kBuffered)); }
  // The next run reads everything.
  void ForgetWatermark() { Must(log_->SetWatermark("sanitize", Id("c"), {Seq{0}, "gone"})); }
};

}  // namespace turnlog
