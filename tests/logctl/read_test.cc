// ls, cat, get, pending, stats.
#include "tests/logctl/logctl_test.h"
#include "turnlog/event_json.h"

namespace turnlog::read_test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kHello = R"({"type":"chat_request","content":"hello"})";

using LsTest = LogctlTest;

TEST_F(LsTest, ListsConversationsInOrderOfTheirIdsWithCountsAndTimes) {
  Append("b", kHello);
  AppendSample();
  Append("a", kHello);
  const Strings lines = Lines(Output({"ls"}));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[0], StartsWith("CONVERSATION  EVENTS  TURNS  PENDING"));
  EXPECT_THAT(lines[1], StartsWith("a                  1      0        -  -"));
  EXPECT_THAT(lines[2], StartsWith("b                  1      0        -  -"));
  EXPECT_THAT(lines[3], StartsWith("sample            26      3        1  2026-01-02 03:04:05  2026-01-02 05:00:02"));
}

TEST_F(LsTest, GivesOneJsonDocument) {
  AppendSample();
  const auto json = Json({"ls"});
  ASSERT_EQ(json["conversations"].Size(), 1u);
  const auto info = json["conversations"][0];
  EXPECT_EQ(info["id"].Text(), "sample");
  EXPECT_EQ(info["events"].Number(), kSampleEvents);
  EXPECT_EQ(info["turns"].Number(), 3u);
  EXPECT_EQ(info["pending"].Number(), 1u);
  EXPECT_EQ(info["first_time"].Text(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(info["last_time"].Text(), "2026-01-02T05:00:02Z");
  EXPECT_GT(info["bytes"].Number(), 0u);
}

TEST_F(LsTest, GivesIdsAsOneJsonDocument) {
  Append("b", kHello);
  Append("a\"", kHello);
  const auto json = Json({"ls", "--ids"});
  ASSERT_EQ(json["ids"].Size(), 2U);
  EXPECT_EQ(json["ids"][0].Text(), "a\"");
  EXPECT_EQ(json["ids"][1].Text(), "b");
}

TEST_F(LsTest, PagesThroughMoreConversationsThanAPageHolds) {
  const auto log = Open(OpenMode::kCreate);
  const Event hello = *ParseEvent(kHello);
  for (int i = 0; i < 2100; ++i) {
    const auto id = ConversationId::Parse("c" + std::to_string(10000 + i));
    ASSERT_TRUE(log->Append(*id, hello, {.durability = Durability::kBuffered}));
  }
  ASSERT_TRUE(log->Close());
  const Strings lines = Lines(Output({"ls"}));
  ASSERT_THAT(lines, SizeIs(2101));
  EXPECT_THAT(lines.back(), StartsWith("c12099 "));
  EXPECT_EQ(Json({"ls"})["conversations"].Size(), 2100u);
}

TEST_F(LsTest, AlignsWideCharactersAndEscapesWhatCouldSteerTheTerminal) {
  Append("\xe4\xb8\xad\xe6\x96\x87", kHello);  // two characters, four columns
  Append("x\xe2\x80\xaey", kHello);            // right-to-left override
  const Strings lines = Lines(Output({"ls"}));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[1], StartsWith("x\\u202ey           1"));
  EXPECT_THAT(lines[2], StartsWith("\xe4\xb8\xad\xe6\x96\x87               1"));
}

TEST_F(LsTest, SaysThatAnEmptyStoreIsEmpty) {
  ASSERT_TRUE(Open(OpenMode::kCreate)->Close());
  const Ran ran = Logctl({"ls"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err, "");
  EXPECT_EQ(Logctl({"ls", "--quiet"}).err, "");
}

using CatTest = LogctlTest;

TEST_F(CatTest, GivesTheLinesThatWereAppendedWithConversationAndSeqInFront) {
  AppendSample();
  Strings expected = Lines(SampleLines());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i].replace(0, 1, R"({"conversation":"sample","seq":)" + std::to_string(i + 1) + ",");
  }
  EXPECT_EQ(Lines(Output({"cat", "sample"})), expected);
  EXPECT_EQ(Lines(Output({"cat", "sample", "--raw"})), expected);
}

TEST_F(CatTest, SelectsFromASeqATurnOrTheLastTurns) {
  AppendSample();
  EXPECT_THAT(Lines(Output({"cat", "sample", "--from", "25"})),
              ElementsAre(HasSubstr("Sure?"), HasSubstr("compaction")));
  EXPECT_THAT(Lines(Output({"cat", "sample", "--from", "99"})), SizeIs(0));
  const Strings turn = Lines(Output({"cat", "sample", "--turn", "1"}));
  ASSERT_THAT(turn, SizeIs(8));
  EXPECT_THAT(turn.back(), HasSubstr("Done."));
  EXPECT_THAT(Lines(Output({"cat", "sample", "--last-turns", "1"})), SizeIs(5));
  EXPECT_THAT(Lines(Output({"cat", "sample", "--last-turns", "9"})), SizeIs(kSampleEvents));
  EXPECT_THAT(Lines(Output({"cat", "sample", "--turn", "0"})), SizeIs(0));
}

TEST_F(CatTest, FailsForATurnThatIsNotThere) {
  AppendSample();
  EXPECT_THAT(Logctl({"cat", "sample", "--turn", "4"}), Fails(1));
}

TEST_F(CatTest, TakesAConversationWhoseNameLooksLikeSomethingElse) {
  for (const char* name : {"[a,b]", "ls", "--json", "-1", "a b", "=", "\"", "+"}) {
    Append(name, kHello);
    EXPECT_THAT(Lines(Output({"cat", "--", name})), SizeIs(1)) << name;
  }
  EXPECT_THAT(Lines(Output({"cat", "[a,b]"})), SizeIs(1));
  EXPECT_THAT(Lines(Output({"export", "--format", "jsonl", "[a,b]", "ls"})), SizeIs(2));
}

using GetTest = LogctlTest;

TEST_F(GetTest, PrintsTheOutcomeOfAnIdInEveryTurn) {
  AppendSample();
  const std::string text = Output({"get", "sample", "call_1.overwrite.1"});
  EXPECT_THAT(text, HasSubstr("turn 1  call_1.overwrite.1  answered"));
  EXPECT_THAT(text, HasSubstr("  question    Overwrite a.txt?\n  type        boolean, default false\n"));
  EXPECT_THAT(text,
              HasSubstr("  outcome     answered: true\n  reason      it is old\n  by          assistant (m-1)\n"));
  EXPECT_THAT(text, HasSubstr("  asked       event 5, 2026-01-02T03:04:08Z\n"));
  EXPECT_THAT(text, HasSubstr("  closed      event 6, 2026-01-02T03:04:09Z\n"));
  EXPECT_THAT(text, HasSubstr("turn 2  call_1.overwrite.1  cancelled"));
  EXPECT_THAT(text, HasSubstr("  outcome     cancelled: backend_error\n"));
}

TEST_F(GetTest, FindsByPartsWithAndWithoutTheAttempt) {
  AppendSample();
  const std::string all = Output({"get", "sample", "call_1.overwrite.1"});
  EXPECT_EQ(Output({"get", "sample", "--tool-call", "call_1", "--question", "overwrite"}), all);
  EXPECT_EQ(Output({"get", "sample", "--tool-call", "call_1", "--question", "overwrite", "--attempt", "1"}), all);
  EXPECT_THAT(Logctl({"get", "sample", "--tool-call", "call_1", "--question", "overwrite", "--attempt", "2"}),
              Fails(1));
}

TEST_F(GetTest, NamesTheStateOfEachInquiry) {
  AppendSample();
  const auto state = [&](const char* id) {
    const auto json = Json({"get", "sample", id});
    return json["inquiries"][0]["state"].Text();
  };
  EXPECT_EQ(state("call_1.overwrite.1"), "answered");
  EXPECT_EQ(state("call_2.token.1"), "redacted");
  EXPECT_EQ(state("call_2.lonely.1"), "orphaned");
  EXPECT_EQ(state("call_9.none.1"), "unmatched");
  EXPECT_EQ(state("call_3.overwrite.1"), "pending");
}

TEST_F(GetTest, GivesTheEventsAsJson) {
  AppendSample();
  const auto json = Json({"get", "sample", "call_1.overwrite.1"});
  ASSERT_EQ(json["inquiries"].Size(), 2u);
  const auto second = json["inquiries"][1];
  EXPECT_EQ(second["turn"].Number(), 2u);
  EXPECT_EQ(second["request_seq"].Number(), 12u);
  EXPECT_EQ(second["response_seq"].Number(), 13u);
  EXPECT_EQ(second["request"]["question"]["text"].Text(), "Which way?");
  EXPECT_EQ(second["response"]["reason"].Text(), "backend_error");
}

TEST_F(GetTest, ShowsARedactedAnswerAsSuch) {
  AppendSample();
  EXPECT_THAT(Output({"get", "sample", "call_2.token.1"}), HasSubstr("outcome     answered: [redacted]\n"));
}

TEST_F(GetTest, RefusesHalfAnIdAndTwoIds) {
  AppendSample();
  EXPECT_THAT(Logctl({"get", "sample"}), Fails(2));
  EXPECT_THAT(Logctl({"get", "sample", "--tool-call", "call_1"}), Fails(2));
  EXPECT_THAT(Logctl({"get", "sample", "x", "--question", "y"}), Fails(2));
  EXPECT_THAT(Logctl({"get", "sample", "--tool-call", "c", "--question", "a.b"}), Fails(2));
  EXPECT_THAT(Logctl({"get", "sample", "--tool-call", "c", "--question", "q", "--attempt", "0"}), Fails(2));
  EXPECT_THAT(Logctl({"get", "sample", "--tool-call", "c", "--question", "q", "--attempt", "4294967296"}), Fails(2));
}

using PendingTest = LogctlTest;

TEST_F(PendingTest, ListsWhatWaitsInAllConversationsOrInOne) {
  AppendSample();
  Append("other", Lines(SampleLines())[4]);
  const Strings all = Lines(Output({"pending"}));
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_THAT(all[1],
              StartsWith("other            0      1  2026-01-02 03:04:08  call_1.overwrite.1  Overwrite a.txt?"));
  EXPECT_THAT(all[2], EndsWith("call_3.overwrite.1  Sure? [boolean]"));
  EXPECT_THAT(Lines(Output({"pending", "sample"})), SizeIs(2));
}

TEST_F(PendingTest, GivesTheRequestsAsJson) {
  AppendSample();
  const auto json = Json({"pending"});
  ASSERT_EQ(json["pending"].Size(), 1u);
  const auto pending = json["pending"][0];
  EXPECT_EQ(pending["conversation"].Text(), "sample");
  EXPECT_EQ(pending["turn"].Number(), 3u);
  EXPECT_EQ(pending["seq"].Number(), 25u);
  EXPECT_EQ(pending["id"].Text(), "call_3.overwrite.1");
  EXPECT_EQ(pending["text"].Text(), "Sure?");
  EXPECT_EQ(pending["request"]["type"].Text(), "inquiry_request");
}

TEST_F(PendingTest, SaysThatNothingIsPending) {
  Append("a", kHello);
  const Ran ran = Logctl({"pending"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err, "");
  EXPECT_EQ(Json({"pending"})["pending"].Size(), 0u);
}

using StatsTest = LogctlTest;

TEST_F(StatsTest, CountsWhatIsThere) {
  AppendSample();
  Append("a", kHello);
  const std::string text = Output({"stats"});
  EXPECT_THAT(text, HasSubstr("conversations      2\n"));
  EXPECT_THAT(text, HasSubstr("events             27\n"));
  const auto json = Json({"stats"});
  EXPECT_EQ(json["conversations"].Number(), 2u);
  EXPECT_EQ(json["events"].Number(), 27u);
  EXPECT_EQ(json["format_version"].Number(), 2u);
  for (const char* field : {"payload_bytes", "segments", "segment_bytes", "index_bytes", "end_offset", "durable_offset",
                            "checkpoint_offset"}) {
    EXPECT_GT(json[field].Number(), 0u) << field;
  }
  EXPECT_THAT(text, HasSubstr(json["store_id"].Text()));
}

}  // namespace
}  // namespace turnlog::read_test
