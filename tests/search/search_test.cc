// Searching a store.
#include "turnlog/search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"
#include "turnlog/event_json.h"

namespace turnlog::search_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SearchTest : public LogTest {
 protected:
  // "CONVERSATION SEQ[ (TOOL)]: LINE|LINE", "-" in place of ":" for context, preceded by "-- " after omitted events.
  std::vector<std::string> Find(const SearchPattern& pattern, const SearchOptions& options = {}) {
    std::vector<std::string> lines;
    const auto on_found = [&](std::variant<FoundEvent, Damage>&& found) {
      if (std::holds_alternative<Damage>(found)) return lines.emplace_back("damage"), true;
      const auto& event = std::get<FoundEvent>(found);
      std::string line = fmt::format("{}{} {}{}{}", event.gap ? "-- " : "", event.conversation, event.seq.value,
                                     event.tool.empty() ? "" : " (" + event.tool + ")", event.match ? ":" : "-");
      for (const FoundLine& each : event.lines) line += (&each == &event.lines.front() ? " " : "|") + each.text;
      lines.push_back(line);
      return true;
    };
    totals_ = Must(SearchStore(*log_, pattern, options, on_found));
    return lines;
  }
  std::vector<std::string> Find(const std::string& text, const SearchOptions& options = {}) {
    return Find(SearchPattern{.text = text}, options);
  }

  void AppendJson(std::string_view conversation, std::initializer_list<std::string_view> events) {
    for (const std::string_view json : events) Must(Append(conversation, Must(ParseEvent(json))));
  }

  void AppendCalls() {
    AppendJson("a", {R"({"type":"turn_start"})",
                     R"({"type":"tool_call_request","id":"1","name":"write","arguments":{"path":"x.txt"}})",
                     R"({"type":"tool_call_request","id":"2","name":"read","arguments":{"path":"x.txt"}})",
                     R"({"type":"tool_call_response","id":"2","content":"x.txt: not there","is_error":true})",
                     R"({"type":"tool_call_response","id":"1","content":"x.txt written","is_error":false})",
                     R"({"type":"turn_start"})",
                     R"({"type":"tool_call_response","id":"1","content":"x.txt late","is_error":false})"});
  }

  SearchTotals totals_;
};

TEST_F(SearchTest, FindsEventsInOrderOfConversationsAndEvents) {
  Must(Append("b", {Say("one"), Say("two\nmore two"), Say("three")}));
  Must(Append("a", {NewTurn(), Say("two")}));
  EXPECT_THAT(Find("two", {.jobs = 3}), ElementsAre("-- a 2: two", "-- b 2: two|more two"));
  EXPECT_EQ(totals_.conversations, 2u);
  EXPECT_EQ(totals_.events, 5u);
  EXPECT_EQ(totals_.matches, 2u);
  EXPECT_GT(totals_.bytes, 0u);
  EXPECT_THAT(Find("four"), IsEmpty());
}

TEST_F(SearchTest, KnowsTheToolOfACallAndOfItsResult) {
  AppendCalls();
  EXPECT_THAT(Find("x.txt", {.tool = "write"}),
              ElementsAre("-- a 2 (write): {\"path\":\"x.txt\"}", "-- a 5 (write): x.txt written"));
  EXPECT_THAT(Find("late"), ElementsAre("-- a 7: x.txt late"));  // ids are those of one turn
}

TEST_F(SearchTest, SearchesOnlyTheSelectedEvents) {
  AppendCalls();
  Must(Append("b", Say("x.txt")));
  EXPECT_THAT(Find("x.txt", {.kinds = {EventKind::kToolCallRequest}}), SizeIs(2));
  EXPECT_THAT(Find("x.txt", {.conversations = {"b", "b", "c"}}), ElementsAre("b 1: x.txt"));
  EXPECT_THAT(Find("x.txt", {.conversations = {"?"}}), SizeIs(6));
  EXPECT_THAT(Find("x.txt", {.conversations = {"b*", "c"}}), SizeIs(1));
}

TEST_F(SearchTest, TimesBeginAtSinceAndEndBeforeUntil) {
  AppendJson("a", {R"({"type":"chat_request","content":"x","timestamp":"2026-01-01T00:00:00Z"})",
                   R"({"type":"chat_request","content":"x","timestamp":"2026-01-02T00:00:00Z"})",
                   R"({"type":"chat_request","content":"x"})",
                   R"({"type":"chat_request","content":"x","timestamp":"2026-01-03T00:00:00Z"})"});
  const auto time = [](std::string_view text) { return Must(Timestamp::ParseRfc3339(text)); };
  EXPECT_THAT(Find("x", {.since = time("2026-01-02T00:00:00Z")}), ElementsAre("-- a 2: x", "-- a 4: x"));
  EXPECT_THAT(Find("x", {.until = time("2026-01-02T00:00:00Z")}), ElementsAre("a 1: x"));
}

TEST_F(SearchTest, ContextIsGivenOnceAndGapsAreMarked) {
  Must(Append("a", {Say("1"), Say("2"), Say("x3"), Say("4"), Say("x5"), Say("6"), Say("7"), Say("8"), Say("x9")}));
  EXPECT_THAT(Find("x", {.before = 1, .after = 1}),
              ElementsAre("-- a 2- 2", "a 3: x3", "a 4- 4", "a 5: x5", "a 6- 6", "-- a 8- 8", "a 9: x9"));
  EXPECT_THAT(Find("x", {.after = 1, .limit = 1}), ElementsAre("-- a 3: x3", "a 4- 4"));
}

TEST_F(SearchTest, StopsAtItsLimits) {
  for (const char* conversation : {"a", "b", "c"}) Must(Append(conversation, {Say("x"), Say("x"), Say("x")}));
  EXPECT_THAT(Find("x", {.limit = 4, .jobs = 2}), ElementsAre("a 1: x", "a 2: x", "a 3: x", "b 1: x"));
  EXPECT_THAT(Find("x", {.limit_each = 1, .lines = false}), ElementsAre("a 1:", "b 1:", "c 1:"));
  EXPECT_THAT(Find("x", {.limit = 0}), IsEmpty());
}

TEST_F(SearchTest, EndsWhenTheCallerHasEnough) {
  for (int i = 0; i < 50; ++i) Must(Append("c" + std::to_string(i), Say("x")));
  int seen = 0;
  const auto on_found = [&](std::variant<FoundEvent, Damage>&&) { return ++seen < 3; };
  Must(SearchStore(*log_, {.text = "x"}, {.jobs = 2}, on_found));
  EXPECT_EQ(seen, 3);
}

TEST_F(SearchTest, TheViewLeavesOutWhatRepairsHaveDropped) {
  Must(Append("a", {Say("x1"), Say("x2"), Say("x3"), Repaired(1, 3)}));
  EXPECT_THAT(Find("x"), ElementsAre("a 2: x2"));
  EXPECT_THAT(Find("x", {.raw = true}), ElementsAre("a 1: x1", "a 2: x2", "a 3: x3"));
}

TEST_F(SearchTest, ErasedEventsHaveNothingLeftToBeFound) {
  Must(Append("a", {Say("x1"), Say("x2")}));
  const Seq first{1};
  Must(log_->Erase(Id("a"), std::span(&first, 1)));
  EXPECT_THAT(Find("x", {.raw = true}), ElementsAre("-- a 2: x2"));
}

TEST_F(SearchTest, MoreThanWorkersMayHoldIsGivenAllTheSame) {
  const std::string text = "x" + std::string(8 << 10, 'y');
  for (int i = 0; i < 4; ++i) {
    Must(Append("c" + std::to_string(i), std::vector<Event>(200, Say(text))));
  }
  EXPECT_THAT(Find("x", {.jobs = 4}), SizeIs(800));
}

}  // namespace
}  // namespace turnlog::search_test
