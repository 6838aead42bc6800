// Histories that jp has written anew: loaded and saved by a newer version, in another layout, or with a request asked
// again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "migrate/jp/saved_again.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/jp_vectors.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::jp_rewritten_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

constexpr const char* kTurn = R"({"timestamp":"2026-01-01 00:00:00.0","type":"turn_start"})";
constexpr const char* kAsk = R"({"timestamp":"2026-01-01 00:00:01.0","type":"chat_request","content":"hi"})";
constexpr const char* kConfig =
    R"({"type":"config_delta","timestamp":"2026-01-01 00:00:00.0","delta":{"a":{"b":1},"old":2}})";

std::string Array(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text.append(text.empty() ? "[\n  " : ",\n  ").append(JpLayout(element));
  return text.empty() ? "[]\n" : text + "\n]\n";
}

class JpRewrittenTest : public ImportTest {
 protected:
  void Save(const std::vector<std::string>& elements) { WriteJp("17", Array(elements)); }
  void SaveConfig(const std::string& json) { Write("jp/conversations/17/base_config.json", json); }
  void RemoveConfig() { std::filesystem::remove(dir_ / "jp/conversations/17/base_config.json"); }
  std::filesystem::path Folder() const { return dir_ / "jp/conversations/17"; }
};

// What jp's loader and its next save make of an element.
const std::vector<std::pair<std::string, std::string>> kSavedAgain{
    {R"({"timestamp":"2026-01-01 00:00:02.0","type":"tool_call_response","id":"a","content":"Pz8_Pj4-","is_error":false})",
     R"({"timestamp":"2026-01-01 00:00:02.0","type":"tool_call_response","id":"a","content":"UHo4X1BqNC0=",)"
     R"("is_error":false})"},
    {R"({"timestamp":"2026-01-01 00:00:02.0","type":"chat_request","content":"x","foo":1})",
     R"({"timestamp":"2026-01-01 00:00:02.0","type":"chat_request","content":"x"})"},
    {R"({"timestamp":"2026-01-01 00:00:02.0","type":"tool_call_request","id":"a","name":"t","arguments":{"p":"dg=="},)"
     R"("tool_answers":{"q":"eQ=="}})",
     R"({"timestamp":"2026-01-01 00:00:02.0","type":"tool_call_request","id":"a","name":"t","arguments":{"p":"dg=="}})"},
    {R"({"timestamp":"2026-01-01 00:00:02.0","type":"inquiry_request","id":"a.b","source":{"source":"tool","name":"t"},)"
     R"("question":{"text":"?","answer_type":{"type":"select","options":[{"value":1,"new":2}]},"new":{"x":1}}})",
     R"({"timestamp":"2026-01-01 00:00:02.0","type":"inquiry_request","id":"a.b","source":{"source":"tool","name":"t"},)"
     R"("question":{"text":"?","answer_type":{"type":"select","options":[{"value":1}]}}})"},
    {R"({"type":"config_delta","inherit":true})",
     R"({"type":"config_delta","timestamp":"2026-08-01 00:00:00.5","delta":{}})"},
    {R"({"type":"config_delta","timestamp":"2026-01-01 00:00:02","delta":{"a":{"b":1,"old":2}}})",
     R"({"type":"config_delta","timestamp":"2026-01-01 00:00:02.0","delta":{"a":{"b":1}}})"},
    {R"({"type":"compaction","timestamp":"2026-01-01 00:00:02.0","from_turn":0,"to_turn":3,"future":1})",
     R"({"type":"compaction","timestamp":"2026-01-01 00:00:02.0","from_turn":0,"to_turn":3})"},
    {R"({"timestamp":"2026-01-01 00:00:02.0","type":"chat_request","content":"x"})",
     R"({"timestamp":"2026-01-01 00:00:02.0","type":"chat_request","content":"x","event_id":"a1b2c3d"})"},
};

TEST_F(JpRewrittenTest, AreTheSameWithoutWhatASaveDrops) {
  std::vector<std::string> before{kTurn}, after{kTurn};
  for (const auto& [old, now] : kSavedAgain) {
    before.push_back(old);
    after.push_back(now);
  }
  Save(before);
  Jp();
  Save(after);
  const ImportReport same = Jp();
  EXPECT_THAT(same.problems, IsEmpty());
  EXPECT_EQ(same.events, 0U);
  after.push_back(kAsk);
  Save(after);
  EXPECT_EQ(Jp().events, 2U) << "the request and the record of its import";
}

// A pair that its user has converted by hand, because jp did not.
TEST_F(JpRewrittenTest, GoOnWithAPairAsElements) {
  Write(
      "jp/conversations/17/messages.json",
      R"([{"timestamp":"2026-01-01 00:00:01.0","message":"hi","reply":{"provider":"x","content":"yo"},"context":{}}])");
  Jp();
  std::filesystem::remove(Folder() / "messages.json");
  Save({kAsk, R"({"timestamp":"2026-01-01 00:00:01.0","type":"chat_response","message":"yo"})", kTurn});
  const ImportReport report = Jp();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.events, 2U);
}

Event ReadEvent(const std::string& json) { return Must(ParseEvent(json)); }

TEST(IsSavedAgainByJp, OtherContentsAreAChange) {
  const auto is_saved = [](const std::string& stored, const std::string& event) {
    const Event one = ReadEvent(stored), other = ReadEvent(event);
    return IsSavedAgainByJp(View(one), View(other));
  };
  const std::string call = R"({"type":"tool_call_request","id":"a","name":"t","arguments":{"p":1,"q":2}})";
  EXPECT_FALSE(is_saved(call, R"({"type":"tool_call_request","id":"a","name":"t","arguments":{"p":1}})"));
  EXPECT_FALSE(is_saved(call, R"({"type":"tool_call_request","id":"b","name":"t","arguments":{"p":1,"q":2}})"));
  EXPECT_FALSE(is_saved(R"({"type":"chat_request","content":"a"})", R"({"type":"chat_request","content":"b"})"));
  EXPECT_FALSE(is_saved(R"({"type":"chat_request","content":"a","metadata":{"x":1}})",
                        R"({"type":"chat_request","content":"a"})"));
  EXPECT_FALSE(is_saved(R"({"type":"chat_request","content":"a"})", R"({"type":"chat_request","content":"a","x":1})"));
  EXPECT_FALSE(is_saved(R"({"type":"config_delta","delta":{"a":1}})", R"({"type":"config_delta","delta":{"a":2}})"));
  EXPECT_FALSE(is_saved(R"({"type":"other","a":1})", R"({"type":"other"})"));
  const std::string compaction = R"({"type":"compaction","from_turn":0,"to_turn":1)";
  EXPECT_FALSE(is_saved(compaction + R"(,"summary":{"summary":"s"}})", compaction + "}"));
  EXPECT_FALSE(is_saved(compaction + R"(,"tool_calls":{"policy":"omit"}})", compaction + "}"));
  EXPECT_TRUE(is_saved(compaction + R"(,"other":1})", compaction + "}"));
}

// jp writes the file of the configuration, and then the elements without it. An interrupted save leaves both.
TEST_F(JpRewrittenTest, FollowAnUpgradeOfTheLayoutStepByStep) {
  Save({kConfig, kTurn});
  RemoveConfig();
  Jp();
  for (const char* base : {R"({"a":{"b":1},"old":2})", R"({"a":{"b":1}})"}) {
    SaveConfig(base);
    EXPECT_THAT(Jp().problems, IsEmpty());
    EXPECT_EQ(ReadTree(Folder().parent_path()), ExportRaw("jp", "17"));
  }
  Save({kTurn, kAsk});
  const ImportReport report = Jp();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(ReadTree(Folder().parent_path()), ExportRaw("jp", "17"));
}

TEST_F(JpRewrittenTest, MayBeSeenFirstInTheMiddleOfAnUpgrade) {
  Save({R"({"type":"config_delta","inherit":true})", kTurn});
  Jp();
  EXPECT_EQ(Last("17"), Seq{2}) << "the configuration of December 2025 is no event";
  Save({kTurn});
  EXPECT_THAT(Jp().problems, IsEmpty());
  EXPECT_EQ(ReadTree(Folder().parent_path()), ExportRaw("jp", "17"));
}

// It changes the configuration before the first turn.
TEST_F(JpRewrittenTest, AChangeAtTheBeginningIsAnEvent) {
  Save({kConfig, kTurn});
  SaveConfig(R"({"a":{"b":2},"c":3})");
  Jp();
  EXPECT_EQ(Last("17"), Seq{3});
}

// It saves a conversation after each event.
TEST_F(JpRewrittenTest, DoNotRepeatTheirConfigurationWithEachImport) {
  const std::string config = R"({"a":")" + std::string(10'000, 'x') + R"("})";
  std::vector<std::string> elements{kTurn};
  std::size_t stored = 0;
  for (int i = 0; i < 10; ++i) {
    Save(elements);
    SaveConfig(i < 5 ? config : R"({"b":1})");
    EXPECT_THAT(Jp().problems, IsEmpty());
    EXPECT_EQ(ReadTree(Folder().parent_path()), ExportRaw("jp", "17")) << i;
    elements.push_back(kAsk);
  }
  for (const Event& event : Events("17")) stored += ToJson(View(event)).size();
  EXPECT_LT(stored, 2 * config.size());
}

}  // namespace
}  // namespace turnlog::jp_rewritten_test
