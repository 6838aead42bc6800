// Threads of LangGraph whose messages are in a DeltaChannel: checkpoints do not have them, but what was written does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/langgraph_threads.h"
#include "tests/support/must.h"

namespace turnlog::langgraph_delta_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LangGraphDeltaTest : public LangGraphThreadTest {
 protected:
  // As LangGraph counts what was written since the last snapshot.
  static inline const std::string kCounted = R"({"counters_since_delta_snapshot":{"messages":[1,1]}})";

  static std::string Empty(int id, int parent = 0) { return Checkpoint(id, "", kCounted, parent); }
  static std::string Snapshot(int id, const std::vector<std::string>& messages, int parent = 0) {
    return Checkpoint(id, fmt::format(R"("messages":{{"$ext":7,"value":{}}})", List(messages)), "{}", parent);
  }
};

TEST_F(LangGraphDeltaTest, MessagesComeFromWhatWasWritten) {
  for (const std::string& metadata : {std::string("{}"), kCounted}) {
    ReadSource read =
        Read(Checkpoint(1, "", metadata) + Written(1, 0, List({User("h", "hello")})) + Checkpoint(2, "", metadata) +
             Written(2, 0, List({Ai("a", "hi")})) + Checkpoint(3, "", metadata));
    EXPECT_THAT(ShownIn(read.only().events), ElementsAre("user: hello", "ai: hi"));
    EXPECT_THAT(Shapes(read.only().events), ElementsAre("foreign", HasSubstr("turn_start"), HasSubstr("hello"),
                                                        "foreign", HasSubstr("hi"), "foreign"));
    EXPECT_EQ(read.only().events[2].timestamp, Must(Timestamp::ParseRfc3339("2026-01-31T10:00:01Z")))
        << "of their checkpoint";
    EXPECT_THAT(read.notes, IsEmpty());
  }
}

TEST_F(LangGraphDeltaTest, EqualMessagesWithoutIdsAreAsManyAsThereAre) {
  const std::string yes = List({User("", "yes")}), ok = List({Ai("", "ok")});
  EXPECT_THAT(ShownOf(Empty(1) + Written(1, 0, yes) + Empty(2) + Written(2, 0, ok) + Empty(3) + Written(3, 0, yes) +
                      Empty(4) + Written(4, 0, ok)),
              ElementsAre("user: yes", "ai: ok", "user: yes", "ai: ok"));
}

TEST_F(LangGraphDeltaTest, MessagesAreChangedAndRemovedByTheirIds) {
  const std::string begin = Empty(1) + Written(1, 0, List({User("h", "Pay"), Pays("a", 1000)})) + Empty(2);
  EXPECT_THAT(
      ShownOf(begin + Written(2, 0, List({Pays("a", 10)})) + Empty(3) + Written(3, 0, List({Result("t", "paid 10")}))),
      ElementsAre("user: Pay", R"(pay {"amount":10})", "result: paid 10"));
  EXPECT_THAT(ShownOf(begin + Written(2, 0, List({Removal("a"), Ai("b", "No.")}))),
              ElementsAre("user: Pay", "ai: No."));
  EXPECT_THAT(ShownOf(begin + Written(2, 0, List({Removal("__remove_all__"), User("s", "So far: nothing")}))),
              ElementsAre("user: So far: nothing"));
  EXPECT_THAT(ShownOf(begin + Written(2, 0, List({Ai("b", "Wait."), Ai("c", "Paid.")})) + Empty(3) +
                      Written(3, 0, List({Removal("a"), Ai("c", "Sent.")}))),
              ElementsAre("user: Pay", "ai: Wait.", "ai: Sent."))
      << "those that follow what was removed keep their places";
  EXPECT_THAT(Shapes(Read(begin + Written(2, 0, List({Removal("other")}))).only().events).back(), "foreign");
}

TEST_F(LangGraphDeltaTest, OneMessageOrAllMayBeWritten) {
  const std::string begin = Empty(1) + Written(1, 0, List({User("h", "Hi"), Ai("a", "Hello.")})) + Empty(2);
  EXPECT_THAT(ShownOf(begin + Written(2, 0, User("h2", "Bye"))), ElementsAre("user: Hi", "ai: Hello.", "user: Bye"));
  for (const char* overwrite : {R"({{"__overwrite__":{}}})", R"({{"type":"__overwrite__","value":{}}})",
                                R"({{"$ext":2,"value":["langgraph.types","Overwrite",{{"value":{}}}]}})"}) {
    const std::string all = fmt::format(fmt::runtime(overwrite), List({User("h", "Hi"), Ai("b", "Good day.")}));
    EXPECT_THAT(ShownOf(begin + Written(2, 0, all)), ElementsAre("user: Hi", "ai: Good day.")) << overwrite;
    const std::string none = fmt::format(fmt::runtime(overwrite), "[]");
    EXPECT_THAT(ShownOf(begin + Written(2, 0, none)), IsEmpty()) << overwrite;
  }
}

TEST_F(LangGraphDeltaTest, MessagesMayBeWrittenAsPairs) {
  const std::string begin = Empty(1) + Written(1, 0, R"([["user","Hi"]])") + Empty(2);
  EXPECT_THAT(ShownOf(begin + Written(2, 0, R"([["assistant","Hello."],["user","Bye"]])")),
              ElementsAre("user: Hi", "ai: Hello.", "user: Bye"));
  EXPECT_THAT(ShownOf(Empty(1) + Written(1, 0, R"([["log","Hi"],"user"])")), IsEmpty()) << "something else";
  const ReadSource read = Read(begin + Written(2, 0, R"(["Bye"])"));
  EXPECT_THAT(read.notes, ElementsAre(", line 4: unclear"));
  EXPECT_THAT(Read(begin + Written(2, 0, "[]")).notes, IsEmpty());
}

TEST_F(LangGraphDeltaTest, SnapshotsAreTheStateAtTheirCheckpoints) {
  const std::string h = User("h", "Hi"), a = Ai("a", "Hello."), b = Ai("b", "Good day.");
  const std::string begin = Empty(1) + Written(1, 0, List({h})) + Empty(2) + Written(2, 0, List({a}));
  EXPECT_THAT(Shapes(Read(begin + Snapshot(3, {h, a})).only().events).back(), "foreign") << "nothing is new in it";
  EXPECT_THAT(ShownOf(begin + Snapshot(3, {h, b}) + Written(3, 0, List({User("h2", "Bye")}))),
              ElementsAre("user: Hi", "ai: Good day.", "user: Bye"));
  EXPECT_THAT(ShownOf(Snapshot(3, {h, a}) + Written(3, 0, List({Ai("a", "Changed.")}))),
              ElementsAre("user: Hi", "ai: Changed."))
      << "without what was before it";
}

// An ordinary channel that became a DeltaChannel.
TEST_F(LangGraphDeltaTest, WhatWasWrittenFollowsTheLastCheckpointThatHasAll) {
  EXPECT_THAT(ShownOf(State(1, {User("h", "Hi"), Ai("a", "Hello.")}) + Empty(2) +
                      Written(2, 0, List({User("h2", "Bye")})) + Empty(3) + Written(3, 0, List({Ai("a", "Changed.")}))),
              ElementsAre("user: Hi", "ai: Changed.", "user: Bye"));
}

TEST_F(LangGraphDeltaTest, OtherChannelsMayHaveTheirMessagesInCheckpoints) {
  const auto checkpoint = [](int id, const std::vector<std::string>& plan) {
    return Checkpoint(id, fmt::format(R"("plan":{})", List(plan)), kCounted);
  };
  EXPECT_THAT(ShownOf(checkpoint(1, {Ai("p", "Plan.")}) + Written(1, 0, List({User("h", "Hi"), Ai("a", "Bad.")})) +
                      checkpoint(2, {Ai("p", "Plan."), Ai("q", "Step.")}) + Written(2, 0, List({Ai("a", "Good.")})) +
                      checkpoint(3, {Ai("p", "Plan."), Ai("q", "Step.")})),
              testing::UnorderedElementsAre("ai: Plan.", "user: Hi", "ai: Step.", "ai: Good."));
}

// The next checkpoint has them, perhaps with ids that they got there.
TEST_F(LangGraphDeltaTest, WritesToOrdinaryChannelsAreNotShown) {
  const std::string input = Checkpoint(1, R"("__start__":{"messages":[]})", R"({"source":"input"})"),
                    written = Written(1, 0, List({User("", "Hi")}));
  EXPECT_THAT(ShownOf(input + written), IsEmpty()) << "the next one is being written";
  EXPECT_THAT(ShownOf(input + written + State(2, {User("h", "Hi")}) + Written(2, 0, List({Ai("", "Hello.")})) +
                      State(3, {User("h", "Hi"), Ai("a", "Hello.")})),
              ElementsAre("user: Hi", "ai: Hello."));
  EXPECT_THAT(ShownOf(Checkpoint(1, "") + written + State(2, {User("h", "Hi")})), ElementsAre("user: Hi"));
  EXPECT_THAT(ShownOf(State(1, {User("h", "Hi")}) + Written(1, 0, List({Ai("", "Hello.")}), "__return__")),
              ElementsAre("user: Hi"))
      << "no channel";
}

TEST_F(LangGraphDeltaTest, WhatAFailedRunHasLeftIsNoted) {
  const std::string failed =
      State(1, {User("h", "Hi")}) + Written(1, 0, List({Ai("a", "Hello.")})) + Written(1, -1, R"("boom")", "__error__");
  const ReadSource read = Read(failed);
  EXPECT_THAT(read.notes, ElementsAre(", line 3: unclear"));
  EXPECT_THAT(Read(failed + State(2, {User("h", "Hi"), Ai("a", "Hello.")})).notes, IsEmpty()) << "it went on";
  EXPECT_THAT(Read(State(1, {User("h", "Hi")}) + Written(1, -1, R"("boom")", "__error__")).notes, IsEmpty());
  EXPECT_THAT(ShownOf(Empty(1) + Written(1, 0, List({User("h", "Hi")})) + Written(1, -1, R"("boom")", "__error__")),
              ElementsAre("user: Hi"));
}

// Its checkpoint follows an earlier one, which has the writes of both branches.
TEST_F(LangGraphDeltaTest, AForkIsNotedAndHidesNothing) {
  ReadSource read =
      Read(Empty(1) + Written(1, 0, List({User("h", "Hi")})) + Empty(2, 1) + Written(2, 0, List({Ai("a", "Bad.")})) +
           Empty(3, 2) + Empty(4, 2) + Written(4, 0, List({Removal("a"), Ai("b", "Good.")})) + Empty(5, 4));
  EXPECT_THAT(read.notes, ElementsAre(", line 6: unclear"));
  EXPECT_THAT(ShownIn(read.only().events), ElementsAre("user: Hi", "ai: Bad.", "ai: Good."));
}

TEST_F(LangGraphDeltaTest, AForkShowsAgainWhatWasHidden) {
  const std::string begin = Empty(1) + Written(1, 0, List({User("h", "one"), Ai("a", "eins")})) + Empty(2, 1) +
                            Written(2, 0, List({Removal("__remove_all__"), User("h2", "two")})) + Empty(3, 2);
  EXPECT_THAT(ShownOf(begin), ElementsAre("user: two"));
  EXPECT_THAT(ShownOf(begin + Snapshot(4, {User("h", "one"), Ai("a", "eins"), User("h3", "three")}, 2)),
              ElementsAre("user: two", "user: one", "ai: eins", "user: three"));
}

// Programs remove old checkpoints.
TEST_F(LangGraphDeltaTest, AMissingCheckpointIsNoFork) {
  const ReadSource read = Read(Snapshot(1, {User("h", "one"), Ai("a", "eins")}) + Snapshot(3, {User("h2", "two")}, 2));
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_THAT(ShownIn(read.conversations.at("t").events), ElementsAre("user: two"));
}

TEST_F(LangGraphDeltaTest, AddsOnlyWhatIsNew) {
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  database.Run(kTables);
  const std::filesystem::path live = dir_ / "live";
  const std::vector<std::string> rows{Empty(1),
                                      Written(1, 0, List({User("h", "Pay"), Pays("a", 1000)})),
                                      Empty(2, 1),
                                      Written(2, 0, List({Pays("a", 10)})),
                                      Empty(3, 2),
                                      Written(3, 0, List({Result("t", "paid 10")})),
                                      Written(3, 1, List({Ai("", "ok")})),
                                      Snapshot(4, {User("h", "Pay"), Pays("a", 10), Result("t", "paid 10")}, 3),
                                      Written(4, 0, List({User("h2", "Thanks")}))};
  std::string sql;
  for (const std::string& row : rows) {
    sql += row;
    database.Run(row);
    EXPECT_THAT(Must(Import(*log_, "langgraph", {&live, 1})).problems, IsEmpty());
    const ImportReport again = Must(Import(*log_, "langgraph", {&live, 1}));
    EXPECT_EQ(again.unchanged, 1);
    EXPECT_THAT(again.notes, IsEmpty());
  }
  EXPECT_EQ(Shapes(ImportedEvents()), Shapes(Read(sql).only().events));
  EXPECT_THAT(ShownIn(ImportedEvents()),
              ElementsAre("user: Pay", R"(pay {"amount":10})", "result: paid 10", "user: Thanks"));
  EXPECT_EQ(ExportRawText("langgraph", "t"), Read(sql).only().written);
}

}  // namespace
}  // namespace turnlog::langgraph_delta_test
