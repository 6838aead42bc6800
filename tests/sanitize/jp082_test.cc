// The profile jp082 against jp's own results.
#include "sanitize/repair/jp082.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/sanitize/jp082_expected.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::jp082_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr SanitizeOptions kJp082{RepairProfile::kJp082};

std::vector<Event> Sanitized(const std::vector<Event>& events) {
  return ApplyToEvents(PlanRepair({.profile = RepairProfile::kJp082}, events), events);
}

std::vector<Event> OneStep(const std::vector<Event>& events, void (Jp082Planner::*step)()) {
  Jp082Planner planner;
  for (std::size_t i = 0; i < events.size(); ++i) planner.Add(Seq{i + 1}, View(events[i]));
  (planner.*step)();
  return ApplyToEvents(planner.TakePlan(), events);
}

std::vector<Event> Run(const std::string& mode, const std::vector<Event>& events) {
  if (mode == "sanitize") return Sanitized(events);
  if (mode == "twice") return Sanitized(Sanitized(events));
  if (mode == "orphan_tools") return OneStep(events, &Jp082Planner::CloseInterruptedToolCalls);
  if (mode == "trim") return OneStep(events, &Jp082Planner::DropTrailingTurn);
  ADD_FAILURE() << "unknown mode " << mode;
  return {};
}

std::string Joined(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text.append(element).append("\n");
  return text;
}

int CheckFile(const std::filesystem::path& file) {
  int checked = 0;
  for (const JpVector& vector : ReadJpVectors(file)) {
    if (vector.mode == "load") continue;
    SCOPED_TRACE(vector.name);
    const auto history = ReadJpHistory(vector.input, vector.packed);
    if (!history) {
      ADD_FAILURE() << history.error().reason;
      continue;
    }
    EXPECT_EQ(Joined(JpElements(Run(vector.mode, history->events))), Joined(ExpectedElements(vector, *history)));
    ++checked;
  }
  return checked;
}

TEST(Jp082, DoesWhatTheReferenceDoes) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-reference.json");
  EXPECT_EQ(CheckFile(file), 20);
}

TEST(Jp082, DoesWhatTheReferenceDoesWhereThatIsWeak) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-gaps.json");
  EXPECT_EQ(CheckFile(file), 37);
}

TEST(Jp082, DoesWhatTheReferenceDoesWithRandomStreams) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-random.json");
  EXPECT_EQ(CheckFile(file), 120);
}

Event Turn() { return {}; }

Event Chat() {
  Event event;
  event.body = ChatRequest{"hi", {}, {}};
  return event;
}

Event Call(std::string id) {
  Event event;
  event.body = ToolCallRequest{std::move(id), "tool", {}};
  event.timestamp = Timestamp{7};
  return event;
}

Event Result(std::string id) {
  Event event;
  event.body = ToolCallResponse{std::move(id), "done", false, {}};
  return event;
}

Event Global(const std::string& tag) {
  Event event;
  event.body = Verbatim{KindFromName(tag), tag, Json::FromTrusted(R"({"type":")" + tag + R"("})")};
  return event;
}

TEST(Jp082, FindsNothingInAHealthyConversation) {
  const std::vector events{Turn(), Chat(), Call("a"), Result("a")};
  const RepairPlan plan = PlanRepair({.profile = RepairProfile::kJp082}, events);
  EXPECT_TRUE(plan.empty());
  EXPECT_EQ(plan.head, Seq{4});
}

TEST(Jp082, FindsNothingInAnEmptyConversation) {
  EXPECT_TRUE(PlanRepair({.profile = RepairProfile::kJp082}, {}).empty());
}

TEST(Jp082, SaysWhatBreaksWhichRule) {
  const std::vector events{Turn(), Chat(), Call("a"), Result("gone"), Turn()};
  const RepairPlan plan = PlanRepair({.profile = RepairProfile::kJp082}, events);
  ASSERT_EQ(plan.drops.size(), 2);
  EXPECT_EQ(plan.drops[0].why.rule, RepairRule::kOrphanToolResult);
  EXPECT_EQ(plan.drops[0].why.seq, Seq{4});
  EXPECT_EQ(plan.drops[0].why.kind, EventKind::kToolCallResponse);
  EXPECT_EQ(plan.drops[0].why.id, "gone");
  EXPECT_EQ(plan.drops[1].why.rule, RepairRule::kTrailingTurn);
  EXPECT_EQ(plan.drops[1].why.seq, Seq{5});
  ASSERT_EQ(plan.inserts.size(), 1);
  EXPECT_EQ(plan.inserts[0].why.rule, RepairRule::kInterruptedToolCall);
  EXPECT_EQ(plan.inserts[0].after, Seq{3});
  EXPECT_EQ(plan.inserts[0].event->timestamp, Timestamp{7});
}

// jp does not have these events: they do not count as the stream's first element.
TEST(Jp082, LooksPastWhatOnlyTurnlogWrites) {
  const std::vector events{Global("jp_import"), Result("x"), Call("x"), Global("repair")};
  const RepairPlan plan = PlanRepair({.profile = RepairProfile::kJp082}, events);
  EXPECT_THAT(plan.drops, IsEmpty());
  ASSERT_EQ(plan.inserts.size(), 1);
  EXPECT_EQ(plan.inserts[0].after, Seq{1});
  EXPECT_EQ(plan.inserts[0].why.rule, RepairRule::kMissingLeadingTurn);
  EXPECT_EQ(plan.head, Seq{4});
}

TEST(Jp082, InsertsTheMissingTurnAfterAnInterruptedCallBeforeIt) {
  const std::vector events{Call("a"), Global("config_delta"), Call("b")};
  const RepairPlan plan = PlanRepair({.profile = RepairProfile::kJp082}, events);
  const std::vector<Event> repaired = ApplyToEvents(plan, events);
  std::vector<EventKind> kinds;
  kinds.reserve(repaired.size());
  for (const Event& event : repaired) kinds.push_back(event.kind());
  EXPECT_THAT(kinds, ElementsAre(EventKind::kTurnStart, EventKind::kToolCallRequest, EventKind::kToolCallResponse,
                                 EventKind::kConfigDelta, EventKind::kToolCallRequest, EventKind::kToolCallResponse));
}

// The same plan from the log, where the import record comes first.
TEST(Jp082, PlansAnImportedConversation) {
  const TempDir dir;
  const std::filesystem::path source = dir / "17";
  std::filesystem::create_directories(source);
  std::ofstream(source / "base_config.json") << "{}\n";
  std::ofstream(source / "events.json")
      << R"([{"type": "chat_response", "message": "m", "timestamp": "2026-01-01 00:00:01"},)"
      << R"({"type": "tool_call_response", "id": "a", "content": "", "is_error": false}])";
  const auto log = OpenLog(dir / "store");
  ASSERT_TRUE(log);
  ASSERT_EQ(Import(**log, "jp", std::vector{source}).value().added, 1);
  const ConversationId id = ConversationId::Parse("17").value();
  const auto plan = PlanSanitize(**log, id, kJp082);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->add.head, Seq{3});
  ASSERT_EQ(plan->add.drops.size(), 1);
  EXPECT_EQ(plan->add.drops[0].why.seq, Seq{3});
  ASSERT_EQ(plan->add.inserts.size(), 1);
  EXPECT_EQ(plan->add.inserts[0].after, Seq{1});
  EXPECT_EQ(plan->add.inserts[0].event->timestamp, Timestamp::ParseRfc3339("2026-01-01T00:00:01Z").value());
  EXPECT_FALSE(PlanSanitize(**log, ConversationId::Parse("18").value(), kJp082));
}

TEST(Jp082, RulesHaveDistinctNames) {
  std::set<std::string_view> names;
  for (auto rule = RepairRule::kLeadingEvent; rule <= RepairRule::kMissingLeadingTurn;
       rule = static_cast<RepairRule>(static_cast<int>(rule) + 1)) {
    names.insert(ToString(rule));
  }
  EXPECT_EQ(names.size(), 8);
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace turnlog::jp082_test
