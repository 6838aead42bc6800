// Conversations in a log, told in short hand (tests/support/story.h), sanitized and looked at.
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

// Appends the story; every event of the conversation has a time of its own.
void Tell(Log& log, std::string_view conversation, std::string_view story);

// What was appended, `repair` events too: the event of seq n is at n - 1.
std::vector<Event> RawEvents(Log& log, std::string_view conversation);
// What readers get.
std::vector<Event> ShownEvents(Log& log, std::string_view conversation);

// What the planner would make of the events if nobody had planned anything yet.
std::vector<Event> SanitizedAfresh(Log& log, std::string_view conversation, const SanitizeOptions& options);

// "drop 5 orphan-tool-result", "insert 7<7 interrupted-tool-call", "move 12<9 moved-tool-result": place, cause, rule.
std::string Brief(const RepairTarget& target);
// Of what is to be added, and "retract ..." for what is not to be in force any more.
std::vector<std::string> Brief(const SanitizePlan& plan);
// What is in force, ordered by text.
std::vector<std::string> InForceNow(Log& log, std::string_view conversation);

// One conversation "c".
class SanitizeTest : public LogTest {
 protected:
  void Tell(std::string_view story) { turnlog::Tell(*log_, "c", story); }
  std::string Shown() const;
  SanitizePlan Plan(const SanitizeOptions& options = kStrictly) { return Must(PlanSanitize(*log_, Id("c"), options)); }
  SanitizeOutcome Run(const SanitizeOptions& options = kStrictly) { return Must(Sanitize(*log_, Id("c"), options)); }
  Seq Undo(Seq seq) { return Must(UndoRepair(*log_, Id("c"), seq, Durability::kBuffered)); }
  // The next run reads everything.
  void ForgetWatermark() { Must(log_->SetWatermark("sanitize", Id("c"), {Seq{0}, "gone"})); }
};

}  // namespace turnlog
