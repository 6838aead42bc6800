// The `load` vectors: jp's expected results, and the intended differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "migrate/logged/quarantine.h"
#include "tests/migrate/jp_vectors.h"
#include "tests/support/shared_data.h"

namespace turnlog::jp_load_vectors_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What jp cannot load: its element is quarantined.
const std::set<std::string> kQuarantined{
    "inq_invalid_shape",
    "inq_unknown_outcome_is_error",
    "inq_select_plain_options_is_error",
    "inq_source_daemon",
    "load_bad_timestamp_is_error",
    "load_chat_response_none_is_error",
    "load_metadata_null_is_error",
    "load_tool_request_null_arguments_is_error",
    "load_tool_response_no_is_error",
};

// What jp drops or refuses and turnlog keeps: the elements as turnlog writes them.
const std::map<std::string, std::vector<std::string>> kKept{
    {"load_turn_start_with_index_is_error", {R"({"timestamp":"2020-01-01 00:01:42.0","type":"turn_start","index":0})"}},
    {"load_chat_request_extra_fields_dropped",
     {R"({"timestamp":"2020-01-01 00:01:44.0","type":"chat_request","content":"x","foo":1})"}},
    {"load_chat_response_all_three",
     {R"({"timestamp":"2020-01-01 00:01:46.0","type":"chat_response","message":"m","reasoning":"r","data":1})"}},
    {"load_tool_request_tool_answers_dropped",
     {R"({"timestamp":"2020-01-01 00:01:52.0","type":"tool_call_request","id":"a","name":"tool",)"
      R"("arguments":{"tool_answers":{"q":"eQ=="}}})"}},
    {"load_tool_response_url_safe_base64",
     {R"({"timestamp":"2020-01-01 00:01:57.0","type":"tool_call_response","id":"a","content":"Pz8/Pj4+",)"
      R"("is_error":false})"}},
    {"up_config_delta_bad_delta_keeps_timestamp",
     {R"({"type":"config_delta","timestamp":"2025-06-01 12:00:00.0","delta":"not-an-object"})"}},
    {"load_compaction_extra_dropped",
     {R"({"type":"compaction","timestamp":"2020-01-01 00:02:01.0","from_turn":0,"to_turn":3,"future":1})"}},
    {"load_compaction_bad_policy_is_error",
     {R"({"type":"compaction","timestamp":"2020-01-01 00:02:02.0","from_turn":0,"to_turn":3,"reasoning":"keep"})"}},
    {"load_legacy_no_config_is_error",
     {R"({"timestamp":"2020-01-01 00:02:09.0","type":"turn_start"})",
      R"({"timestamp":"2020-01-01 00:02:10.0","type":"chat_request","content":"x"})"}},
    {"load_legacy_empty_is_error", {}},
};

std::vector<std::string> Expected(const JpVector& vector) {
  if (!kKept.contains(vector.name)) return vector.expected.value();
  std::vector<std::string> expected;
  for (const std::string& element : kKept.at(vector.name)) expected.push_back(JpLayout(element));
  return expected;
}

void CheckVector(const JpVector& vector) {
  const auto history = ReadJpHistory(vector.input, vector.packed);
  ASSERT_TRUE(history);
  for (const Event& event : history->events) EXPECT_TRUE(Validate(View(event)));
  if (kQuarantined.contains(vector.name)) {
    EXPECT_FALSE(vector.expected) << "jp loads this";
    ASSERT_THAT(history->problems, SizeIs(1));
    EXPECT_EQ(history->problems[0].code, ImportProblemCode::kQuarantined);
    EXPECT_EQ(history->problems[0].element, 0);
    ASSERT_THAT(history->events, SizeIs(1));
    EXPECT_TRUE(ReadQuarantined(View(history->events[0])));
  } else {
    EXPECT_THAT(history->problems, IsEmpty());
    EXPECT_EQ(JpElements(history->events), Expected(vector));
  }
  // Only the answer beside "redacted" may get lost.
  if (vector.name == "inq_redacted_drops_stray_answer") return;
  EXPECT_EQ(WriteBack(*history), vector.input);
}

TEST(JpLoadVectors, GiveTheEventsThatJpLoads) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-reference.json");
  std::set<std::string> seen;
  for (const JpVector& vector : ReadJpVectors(file)) {
    SCOPED_TRACE(vector.name);
    if (vector.mode != "load") continue;
    seen.insert(vector.name);
    CheckVector(vector);
  }
  EXPECT_THAT(seen, SizeIs(56));
  for (const std::string& name : kQuarantined) EXPECT_TRUE(seen.contains(name)) << name;
  for (const auto& [name, elements] : kKept) EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(JpLoadVectors, DropOnlyTheAnswerOfARedactedInquiry) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-reference.json");
  for (const JpVector& vector : ReadJpVectors(file)) {
    if (vector.name != "inq_redacted_drops_stray_answer") continue;
    const auto history = ReadJpHistory(vector.input, vector.packed);
    ASSERT_TRUE(history);
    EXPECT_FALSE(history->events.at(0).source_text);
    EXPECT_THAT(WriteBack(*history), ::testing::Not(HasSubstr("dummy")));
  }
}

// Every vector is also a history to import and export again.
TEST(JpLoadVectors, AllStreamsGoOutAsTheyCameIn) {
  for (const char* name : {"vectors/jp-random.json", "vectors/jp-gaps.json"}) {
    TURNLOG_SHARED_OR_SKIP(file, name);
    for (const JpVector& vector : ReadJpVectors(file)) {
      SCOPED_TRACE(vector.name);
      const auto history = ReadJpHistory(vector.input, vector.packed);
      ASSERT_TRUE(history);
      EXPECT_THAT(history->problems, IsEmpty());
      if (history->redacted) continue;
      EXPECT_EQ(WriteBack(*history), vector.input);
    }
  }
}

}  // namespace
}  // namespace turnlog::jp_load_vectors_test
