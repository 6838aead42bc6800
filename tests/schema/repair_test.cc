#include "turnlog/repair.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schema/sample_events.h"
#include "tests/support/where.h"
#include "turnlog/event_json.h"

namespace turnlog::repair_test {
namespace {

Event Stored(std::string_view json) {
  Event event;
  event.body = Verbatim{EventKind::kRepair, "repair", J(json)};
  return event;
}

// A repair event with these items, and what else is to stand in it.
std::string WithItems(std::string_view items, std::string_view more = "") {
  std::string json = R"({"type":"repair","profile":"strict","head":20,"from":3,"to":9,"items":[)";
  return json.append(items).append("]").append(more).append("}");
}

// "" if it is one; of a field that is missing in the whole event, its name.
std::string Fault(std::string_view json) {
  const auto repair = ReadRepair(Stored(json));
  if (repair) return "";
  const std::string& message = repair.error().message;
  const std::string where = Where(message);
  return where.empty() ? message.substr(0, message.find(' ')) : where;
}

std::string FaultOfItem(std::string_view item) { return Fault(WithItems(item)); }

Event Interrupted() {
  Event event;
  event.timestamp = Timestamp{1'500'000'000};
  event.body = ToolCallResponse{"call.1", "Tool call was interrupted.", true, std::nullopt};
  return event;
}

Event Compacted() {
  Event event;
  event.body = Verbatim{EventKind::kCompaction, "compaction", J("{\n  \"type\": \"compaction\",\r\n  \"n\": 1.50\n}")};
  return event;
}

Repair Full() {
  Repair repair{.profile = "strict", .head = {20}, .from = {0}, .to = {12}};
  repair.items = {{{RepairAction::kInsert, {0}, {1}, "missing-leading-turn"}, Event{}},
                  {{RepairAction::kDrop, {5}, {5}, "orphan-tool-result"}, std::nullopt},
                  {{RepairAction::kInsert, {7}, {6}, "interrupted-tool-call"}, Interrupted()},
                  {{RepairAction::kMove, {7}, {12}, "moved-tool-result"}, std::nullopt},
                  {{RepairAction::kInsert, {8}, {8}, "compaction-range"}, Compacted()}};
  repair.retracts = {{{RepairAction::kDrop, {2}, {2}, "empty-turn"}},
                     {{RepairAction::kInsert, {3}, {2}, "interrupted-inquiry"}},
                     {{RepairAction::kMove, {0}, {4}, "moved-tool-result"}}};
  repair.undoes = {{15}, {13}};
  return repair;
}

TEST(Repair, IsTheSameAfterAnEvent) {
  for (const std::optional<Timestamp> time : {std::optional<Timestamp>(), std::optional(Timestamp{1})}) {
    const Event event = ToEvent(Full(), time);
    EXPECT_EQ(event.timestamp, time);
    EXPECT_TRUE(Validate(View(event)));
    const auto repair = ReadRepair(View(event));
    ASSERT_TRUE(repair) << repair.error().message;
    EXPECT_EQ(*repair, Full());
  }
}

// Line breaks of inserted verbatim events are the only thing that does not survive one line of JSON.
TEST(Repair, IsTheSameAfterALineOfJson) {
  Repair repair = Full();
  repair.items.pop_back();
  const auto event = ParseEvent(ToJson(ToEvent(repair, Timestamp{1})));
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->timestamp, Timestamp{1});
  EXPECT_EQ(ReadRepair(View(*event)), repair);
}

TEST(Repair, IsWrittenAsDocumented) {
  Repair repair = Full();
  repair.items.pop_back();
  EXPECT_EQ(ToJson(ToEvent(repair, Timestamp{})),
            R"({"type":"repair","timestamp":"1970-01-01T00:00:00Z","profile":"strict","head":20,"from":0,"to":12,)"
            R"("items":[{"insert_after":0,"cause":1,"rule":"missing-leading-turn","event":{"type":"turn_start"}},)"
            R"({"drop":5,"rule":"orphan-tool-result"},)"
            R"({"insert_after":7,"cause":6,"rule":"interrupted-tool-call","event":)"
            R"({"timestamp":"1970-01-01T00:00:01.5Z","type":"tool_call_response","id":"call.1",)"
            R"("content":"Tool call was interrupted.","is_error":true}},)"
            R"({"move":12,"to_after":7,"rule":"moved-tool-result"}],)"
            R"("retracts":[{"drop":2,"rule":"empty-turn"},)"
            R"({"insert_after":3,"cause":2,"rule":"interrupted-inquiry"},)"
            R"({"move":4,"to_after":0,"rule":"moved-tool-result"}],"undoes":[15,13]})");
}

TEST(Repair, LeavesEmptyListsOut) {
  const Repair repair{.profile = "undo", .head = {9}, .from = {1}, .to = {9}};
  EXPECT_EQ(ToJson(ToEvent(repair, std::nullopt)), R"({"type":"repair","profile":"undo","head":9,"from":1,"to":9})");
  EXPECT_EQ(ReadRepair(ToEvent(repair, std::nullopt)), repair);
}

TEST(Repair, OrderOfFieldsAndUnknownFieldsDoNotMatter) {
  EXPECT_EQ(Fault(R"({"note":{"a":[1]},"undoes":[],"retracts":[{"rule":"r","later":null,"drop":1}],"to":1,"from":1,)"
                  R"("head":1,"profile":"x","type":"repair"})"),
            "");
  EXPECT_EQ(FaultOfItem(R"({"note":1,"rule":"r","drop":3})"), "");
}

TEST(Repair, KeepsUnknownFieldsWhereTheyAre) {
  const std::string json =
      R"({"type":"repair","profile":"x","head":9,"from":1,"to":9,"items":[{"drop":2,"rule":"r","note":{"a":1.50}}],)"
      R"("retracts":[{"drop":1,"rule":"r","later":null}],"more":[0]})";
  const auto event = ParseEvent(json);
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_TRUE(std::holds_alternative<Repair>(event->body));
  EXPECT_TRUE(Validate(View(*event)));
  EXPECT_EQ(ToJson(View(*event)), json);
}

// What stands behind an event that was inserted is read as if nothing had stood before it.
TEST(Repair, ReadsOnBehindWhatIsInserted) {
  const std::string inserted = R"({"insert_after":3,"cause":3,"rule":"1","event":)";
  const auto event = ParseEvent(WithItems(
      inserted + R"({"type":"compaction","deep":{"a":[{"b":[]}]}}},)" + R"({"drop":4,"rule":"2"},)" +
          R"({"event":{"id":"c","type":"tool_call_response","content":"x","is_error":false,"z":[{}]},"rule":"3",)" +
          R"("insert_after":3,"cause":4})",
      R"(,"note":{"b":2})"));
  ASSERT_TRUE(event) << event.error().message;
  const auto& repair = std::get<Repair>(event->body);
  ASSERT_EQ(repair.items.size(), 3U);
  EXPECT_EQ(repair.items[0].event->kind(), EventKind::kCompaction);
  EXPECT_EQ(repair.items[1].target.rule, "2");
  EXPECT_EQ(std::get<ToolCallResponse>(repair.items[2].event->body).content, "x");
  EXPECT_EQ(repair.items[2].event->extra.text(), R"({"z":[{}]})");
  EXPECT_EQ(repair.items[2].target.rule, "3");
  EXPECT_EQ(event->extra.text(), R"({"note":{"b":2}})");
}

// A record of version 1.
TEST(Repair, IsReadInTheOldFormWhateverElseItHolds) {
  const std::string old = R"({"type":"repair","timestamp":"soon","metadata":7,"seq":"x","profile":"p","head":9,)"
                          R"("from":1,"to":9,"items":[{"drop":2,"rule":"r"}]})";
  const auto repair = ReadRepair(Stored(old));
  ASSERT_TRUE(repair) << repair.error().message;
  EXPECT_EQ(repair->items.front().target, (RepairTarget{RepairAction::kDrop, {2}, {2}, "r"}));
}

// With the words of its JSON form.
TEST(Repair, IsCheckedAtTheDoorLikeItsJson) {
  const auto fault = [](Repair repair) {
    const Event event = ToEvent(std::move(repair), std::nullopt);
    const Status status = Validate(View(event));
    return status ? "" : Where(status.error().message);
  };
  Repair repair{.profile = "p", .head = {9}, .from = {3}, .to = {9}};
  EXPECT_EQ(fault(repair), "");
  repair.items = {{{RepairAction::kDrop, {3}, {4}, "r"}}};
  EXPECT_EQ(fault(repair), "items[0]");
  repair.items = {{{RepairAction::kDrop, {3}, {3}, "r"}}, {{RepairAction::kDrop, {3}, {3}, "r"}}};
  EXPECT_EQ(fault(repair), "items[1]");
  repair.items = {{{RepairAction::kInsert, {3}, {3}, "r"}}};
  EXPECT_EQ(fault(repair), "items[0]");
  Event request;
  request.body = ChatRequest{"\xff", std::nullopt, {}};
  repair.items.front().event = request;
  EXPECT_EQ(fault(repair), "items[0].event: content: byte 0");
  repair.items.front().event = ToEvent(Repair{.profile = "p"}, std::nullopt);
  EXPECT_EQ(fault(repair), "items[0].event");
  repair.items = {{{static_cast<RepairAction>(7), {3}, {3}, "r"}}};
  EXPECT_EQ(fault(repair), "items[0]");
  repair.items.clear();
  repair.retracts = {{{RepairAction::kDrop, {3}, {3}, ""}}};
  EXPECT_EQ(fault(repair), "retracts[0].rule");
  repair.retracts = {{{RepairAction::kInsert, {3}, {3}, "r"}, request}};
  EXPECT_EQ(fault(repair), "retracts[0].event");
  EXPECT_EQ(fault({.profile = "p", .head = {(std::uint64_t{1} << 53) + 1}}), "head");
}

TEST(RedactionRecord, IsCheckedAtTheDoor) {
  const auto fault = [](RedactionRecord record) {
    Event event;
    event.body = std::move(record);
    const Status status = Validate(View(event));
    return status ? "" : Where(status.error().message);
  };
  EXPECT_EQ(fault({.by = "b", .rules = {{"r", 1, {{{2}, {3}}}, {}}}}), "");
  EXPECT_EQ(fault({.by = "b", .rules = {{"r", 1, {{{3}, {2}}}, {}}}}), "rules[0].seqs[0]");
  EXPECT_EQ(fault({.by = "b", .rules = {{"r", 1, {{{0}, {2}}}, {}}}}), "rules[0].seqs[0]");
  EXPECT_EQ(fault({.by = "b", .rules = {{"", 1, {}, {}}}}), "rules[0].rule");
  EXPECT_EQ(fault({.by = "\xff"}), "by: byte 0");
}

// Older versions looked at none, and acted on none.
TEST(RedactionRecord, IsVerbatimInJsonThatHasAnotherShape) {
  for (const char* json : {R"({"type":"redaction","seq":3})", R"({"type":"redaction","by":7,"events":1,"rules":[]})",
                           R"({"type":"redaction","by":"b","events":1,"rules":[{"rule":"r","events":1,"seqs":[[1]]}]})",
                           R"({"type":"redaction","by":"b","by":"c","events":1,"rules":[]})",
                           R"({"type":"redaction","timestamp":"soon","by":"b","events":1,"rules":[]})"}) {
    const auto event = ParseEvent(json);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->kind(), EventKind::kRedaction);
    EXPECT_TRUE(std::holds_alternative<Verbatim>(event->body)) << json;
    EXPECT_EQ(ToJson(View(*event)), json);
    EXPECT_TRUE(Validate(View(*event)));
  }
}

TEST(Repair, NamesTheMissingField) {
  EXPECT_EQ(Fault(R"({"type":"repair"})"), "profile");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","from":1,"to":1})"), "head");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","head":1,"to":1})"), "from");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","head":1,"from":1})"), "to");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"rule":"r"},{"cause":3})"), "items[1]");
  EXPECT_EQ(FaultOfItem(R"({"drop":3})"), "items[0]");
  EXPECT_EQ(FaultOfItem(R"({"insert_after":3,"rule":"r","event":{"type":"turn_start"}})"), "items[0]");
  EXPECT_EQ(FaultOfItem(R"({"insert_after":3,"cause":3,"rule":"r"})"), "items[0]");
  EXPECT_EQ(FaultOfItem(R"({"move":3,"rule":"r"})"), "items[0]");
}

TEST(Repair, NamesTheFieldOfTheWrongType) {
  EXPECT_EQ(Fault(R"({"type":"repair","profile":7})"), "profile");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":""})"), "profile");
  EXPECT_EQ(Fault(R"({"type":"repair","head":-1})"), "head");
  EXPECT_EQ(Fault(R"({"type":"repair","from":"1"})"), "from");
  EXPECT_EQ(Fault(R"({"type":"repair","to":1.0})"), "to");
  EXPECT_EQ(Fault(R"({"type":"repair","items":{}})"), "items");
  EXPECT_EQ(Fault(R"({"type":"repair","items":null})"), "items");
  EXPECT_EQ(Fault(R"({"type":"repair","undoes":[1,null]})"), "undoes[1]");
  EXPECT_EQ(FaultOfItem("3"), "items[0]");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"rule":""})"), "items[0].rule");
  EXPECT_EQ(FaultOfItem(R"({"drop":[3],"rule":"r"})"), "items[0].drop");
  EXPECT_EQ(FaultOfItem(R"({"insert_after":3,"cause":3,"rule":"r","event":[]})"), "items[0].event");
}

TEST(Repair, RefusesWhatIsGivenTwice) {
  EXPECT_EQ(Fault(R"({"type":"repair","head":1,"head":2})"), "head");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"drop":3,"rule":"r"})"), "items[0].drop");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"rule":"r"},{"drop":3,"rule":"r"})"), "items[1]");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"rule":"r"},{"drop":3,"rule":"s"})"), "");
  EXPECT_EQ(Fault(WithItems("", R"(,"retracts":[{"drop":3,"rule":"r"},{"drop":3,"rule":"r"}])")), "retracts[1]");
}

TEST(Repair, RefusesFieldsOfAnotherAction) {
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"cause":3,"rule":"r"})"), "items[0].cause");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"move":3,"to_after":4,"rule":"r"})"), "items[0].move");
  EXPECT_EQ(FaultOfItem(R"({"move":3,"to_after":4,"rule":"r","event":{"type":"turn_start"}})"), "items[0].event");
  EXPECT_EQ(
      Fault(WithItems("", R"(,"retracts":[{"insert_after":3,"cause":3,"rule":"r","event":{"type":"turn_start"}}])")),
      "retracts[0].event");
}

TEST(Repair, KeepsPlacesWithinFromAndTo) {
  EXPECT_EQ(FaultOfItem(R"({"drop":2,"rule":"r"})"), "items[0].drop");
  EXPECT_EQ(FaultOfItem(R"({"drop":10,"rule":"r"})"), "items[0].drop");
  EXPECT_EQ(FaultOfItem(R"({"insert_after":10,"cause":3,"rule":"r","event":{"type":"turn_start"}})"),
            "items[0].insert_after");
  EXPECT_EQ(FaultOfItem(R"({"insert_after":9,"cause":2,"rule":"r","event":{"type":"turn_start"}})"), "items[0].cause");
  EXPECT_EQ(FaultOfItem(R"({"move":10,"to_after":3,"rule":"r"})"), "items[0].move");
  EXPECT_EQ(FaultOfItem(R"({"move":9,"to_after":2,"rule":"r"})"), "items[0].to_after");
  EXPECT_EQ(Fault(WithItems("", R"(,"retracts":[{"drop":3,"rule":"r"},{"drop":1,"rule":"r"}])")), "retracts[1].drop");
  EXPECT_EQ(FaultOfItem(R"({"drop":3,"rule":"r"},{"move":9,"to_after":3,"rule":"r"})"), "");
}

TEST(Repair, ChecksItsNumbers) {
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","head":9,"from":4,"to":3})"), "from");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","head":2,"from":1,"to":3})"), "to");
  EXPECT_EQ(Fault(R"({"type":"repair","head":9007199254740993})"), "head");
  EXPECT_EQ(Fault(R"({"type":"repair","profile":"x","head":9,"from":0,"to":9,"items":[{"drop":0,"rule":"r"}]})"),
            "items[0].drop");
  EXPECT_EQ(
      Fault(R"({"type":"repair","profile":"x","head":9,"from":0,"to":9,"items":[{"move":0,"to_after":3,"rule":"r"}]})"),
      "items[0].move");
  EXPECT_EQ(FaultOfItem(R"({"move":4,"to_after":4,"rule":"r"})"), "items[0]");
  EXPECT_EQ(Fault(WithItems("", R"(,"undoes":[0])")), "undoes[0]");
  EXPECT_EQ(Fault(WithItems("", R"(,"undoes":[20,21])")), "undoes[1]");
}

std::string FaultOfInserted(std::string_view event) {
  return FaultOfItem(std::string(R"({"insert_after":3,"cause":3,"rule":"r","event":)").append(event).append("}"));
}

TEST(Repair, InsertsValidEventsOfTurnsAndCompactionsOnly) {
  EXPECT_EQ(FaultOfInserted(R"({"type":"compaction","from_turn":0,"to_turn":1})"), "");
  EXPECT_EQ(FaultOfInserted(R"({"type":"inquiry_response","outcome":"cancelled","id":"q","reason":"x"})"), "");
  EXPECT_EQ(FaultOfInserted(R"({"type":"tool_call_response","id":"c","content":"","is_error":1})"),
            "items[0].event.is_error");
  EXPECT_EQ(FaultOfInserted(R"({"content":"x"})"), "items[0].event");
  EXPECT_EQ(FaultOfInserted(R"({"tag":"repair","verbatim":{"type":"repair"}})"), "items[0].event");
  for (const char* type : {"repair", "redaction", "config_delta", "note"}) {
    EXPECT_EQ(FaultOfInserted(std::string(R"({"type":")").append(type).append(R"("})")), "items[0].event");
  }
  EXPECT_EQ(FaultOfInserted(R"({"type":"turn_start","source_text":"x"})"), "items[0].event: source_text");
}

// Or a secret could come in this way.
TEST(Repair, DoesNotAnswerInquiries) {
  EXPECT_EQ(FaultOfInserted(R"({"type":"inquiry_response","outcome":"answered","id":"q","answer":1})"),
            "items[0].event");
  EXPECT_EQ(FaultOfInserted(R"({"type":"inquiry_response","id":"q","answer":1})"), "items[0].event");
}

TEST(Repair, IsRefusedAtTheDoorAndByTheParserIfItsShapeIsWrong) {
  const std::string wrong = WithItems(R"({"drop":3})");
  const Status status = Validate(Stored(wrong));
  ASSERT_FALSE(status);
  EXPECT_EQ(Where(status.error().message), "items[0]");
  const auto event = ParseEvent(wrong);
  ASSERT_FALSE(event);
  EXPECT_EQ(Where(event.error().message), "byte 71: items[0]");
}

TEST(Repair, IsOnlyReadFromEventsOfItsKind) {
  const auto repair = ReadRepair(Event{});
  ASSERT_FALSE(repair);
  EXPECT_EQ(repair.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Where(repair.error().message), "type");
}

TEST(Repair, NeverQuotesValues) {
  const std::string secret = "hunter2";
  EXPECT_FALSE(FaultOfInserted(R"({"type":"hunter2"})").contains(secret));
  EXPECT_FALSE(FaultOfInserted(R"({"type":"chat_request","content":["hunter2"]})").contains(secret));
  EXPECT_FALSE(Fault(R"({"type":"repair","profile":["hunter2"]})").contains(secret));
}

}  // namespace
}  // namespace turnlog::repair_test
