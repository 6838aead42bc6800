// What is shown of a LangGraph thread when the messages in its state are changed, removed or moved.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/generated_sessions.h"
#include "tests/migrate/langgraph_threads.h"
#include "tests/support/must.h"

namespace turnlog::langgraph_states_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LangGraphStatesTest : public LangGraphThreadTest {
 protected:
  std::vector<std::string> ShapesOf(const std::string& sql) { return Shapes(Read(sql).only().events); }
};

TEST_F(LangGraphStatesTest, EqualMessagesWithoutIdsAreAsManyAsThereAre) {
  const std::string yes = User("", "yes"), ok = Ai("", "ok");
  const std::string sql =
      State(1, {yes}) + State(2, {yes, ok}) + State(3, {yes, ok, yes}) + State(4, {yes, ok, yes, ok});
  EXPECT_THAT(ShownOf(sql), ElementsAre("user: yes", "ai: ok", "user: yes", "ai: ok"));
  EXPECT_THAT(ShapesOf(sql), Not(Contains(HasSubstr("compaction"))));
  EXPECT_THAT(ShownOf(State(1, {yes, yes, ok, ok})), ElementsAre("user: yes", "user: yes", "ai: ok", "ai: ok"));
}

// A person has corrected the call before it was made.
TEST_F(LangGraphStatesTest, AChangedCallReplacesTheFirstOne) {
  const std::string h = User("h", "Pay 10."), wrong = Pays("a1", 1000), right = Pays("a1", 10);
  const std::string sql = State(11, {h, wrong}) +
                          Checkpoint(12, fmt::format(R"("messages":{})", List({h, right})), R"({"source":"update"})") +
                          State(13, {h, right, Result("t", "paid 10")});
  EXPECT_THAT(ShownOf(sql), ElementsAre("user: Pay 10.", R"(pay {"amount":10})", "result: paid 10"));
  EXPECT_THAT(ShapesOf(sql), ElementsAre(HasSubstr("turn_start"), HasSubstr("Pay 10."), HasSubstr(R"("amount":1000)"),
                                         HasSubstr(R"("from_turn":0,"to_turn":0)"), HasSubstr("turn_start"),
                                         HasSubstr("Pay 10."), HasSubstr(R"("amount":10})"), HasSubstr("paid 10")));
}

TEST_F(LangGraphStatesTest, ACallWithoutAPromptIsReplacedToo) {
  EXPECT_THAT(ShownOf(State(1, {Pays("a1", 1000)}) + State(2, {Pays("a1", 10)}) +
                      State(3, {Pays("a1", 10), Result("t", "paid 10")})),
              ElementsAre(R"(pay {"amount":10})", "result: paid 10"));
}

TEST_F(LangGraphStatesTest, ARegeneratedAnswerReplacesTheOneBefore) {
  const std::string h = User("h", "Hi");
  for (const char* id : {"a1", "a2", ""}) {
    EXPECT_THAT(ShownOf(State(1, {h, Ai("a1", "Bad.")}) + State(2, {h, Ai(id, "Good.")}) +
                        State(3, {h, Ai(id, "Good."), User("h2", "Thanks")})),
                ElementsAre("user: Hi", "ai: Good.", "user: Thanks"))
        << id;
  }
}

TEST_F(LangGraphStatesTest, AChangedPromptReplacesTheOneBefore) {
  EXPECT_THAT(ShownOf(State(1, {User("h", "Hi"), Ai("a", "Hello.")}) + State(2, {User("h", "Bye"), Ai("a", "Hello.")})),
              ElementsAre("user: Bye", "ai: Hello."));
}

TEST_F(LangGraphStatesTest, WhatFollowsAChangedMessageIsRepeated) {
  const std::string h1 = User("h1", "one"), a1 = Ai("a1", "first"), h2 = User("h2", "two"), a2 = Ai("a2", "second"),
                    h3 = User("h3", "three");
  const std::vector<std::string> shapes =
      ShapesOf(State(1, {h1, a1, h2, a2, h3}) + State(2, {h1, a1, h2, Ai("a2", "edited"), h3}));
  EXPECT_THAT(shapes, Contains(HasSubstr(R"("from_turn":1,"to_turn":2)")));
  EXPECT_THAT(ShownOf(State(1, {h1, a1, h2, a2, h3}) + State(2, {h1, a1, h2, Ai("a2", "edited"), h3})),
              ElementsAre("user: one", "ai: first", "user: two", "ai: edited", "user: three"));
}

TEST_F(LangGraphStatesTest, ARemovedMessageIsHidden) {
  const std::string h = User("h", "Pay"), a = Pays("a", 10), t = Result("t", "paid"), b = Ai("b", "Done.");
  EXPECT_THAT(ShownOf(State(1, {h, a, t, b}) + State(2, {h, b})), ElementsAre("user: Pay", "ai: Done."));
  EXPECT_THAT(ShownOf(State(1, {h, a, t, b}) + State(2, {})), IsEmpty()) << "all of them";
}

// Each state lacks one more of the oldest messages: nothing is repeated for it.
TEST_F(LangGraphStatesTest, WhatIsLeftOfTheOldestTurnStaysHidden) {
  const std::string h1 = User("h1", "one"), a1 = Ai("a1", "first"), b1 = Ai("b1", "more"), h2 = User("h2", "two"),
                    h3 = User("h3", "three");
  EXPECT_THAT(
      ShapesOf(State(1, {h1, a1, b1, h2}) + State(2, {a1, b1, h2}) + State(3, {b1, h2, h3}) + State(4, {h2, h3})),
      ElementsAre(HasSubstr("turn_start"), HasSubstr("one"), HasSubstr("first"), HasSubstr("more"),
                  HasSubstr("turn_start"), HasSubstr("two"), HasSubstr(R"("from_turn":0,"to_turn":0)"),
                  HasSubstr("turn_start"), HasSubstr("three"), "foreign"));
}

TEST_F(LangGraphStatesTest, ASummaryComesBeforeTheMessagesThatWereKept) {
  const std::string h1 = User("h1", "one"), a1 = Ai("a1", "first"), b1 = Ai("b1", "more"), h2 = User("h2", "two"),
                    s = User("s", "So far: one");
  EXPECT_THAT(ShownOf(State(1, {h1, a1, b1, h2}) + State(2, {s, b1, h2}) + State(3, {s, b1, h2, Ai("a2", "second")})),
              ElementsAre("user: So far: one", "ai: more", "user: two", "ai: second"));
}

// What changes is nothing that events show.
TEST_F(LangGraphStatesTest, OtherFieldsOfAMessageDoNotReplaceIt) {
  const std::string h = User("h", "Hi");
  EXPECT_THAT(ShapesOf(State(1, {h, Ai("a", "Hello.")}) +
                       State(2, {h, Ai("a", "Hello.", R"(,"usage_metadata":{"input_tokens":1},"name":null)")})),
              ElementsAre(HasSubstr("turn_start"), HasSubstr("Hi"), HasSubstr("Hello."), "foreign"));
}

TEST_F(LangGraphStatesTest, ChannelsMayHaveTheSameMessages) {
  const std::string h1 = User("h1", "one"), a1 = Ai("a1", "first"), x = User("x", "aside"), h2 = User("h2", "two");
  const auto state = [](int id, const std::vector<std::string>& one, const std::vector<std::string>& other) {
    return Checkpoint(id, fmt::format(R"("messages":{},"other":{})", List(one), List(other)));
  };
  EXPECT_THAT(ShapesOf(state(1, {h1, a1}, {a1, x}) + state(2, {h1, a1, h2}, {a1, x}) + state(3, {h1, a1, h2}, {x, a1})),
              ElementsAre(HasSubstr("turn_start"), HasSubstr("one"), HasSubstr("first"), HasSubstr("turn_start"),
                          HasSubstr("aside"), HasSubstr("turn_start"), HasSubstr("two"), "foreign"));
}

TEST_F(LangGraphStatesTest, SystemMessagesMayChangeWithEachState) {
  const std::string h = User("h", "Hi"), a = Ai("a", "Hello.");
  EXPECT_THAT(ShapesOf(State(1, {Message("system", "", "It is 10:00."), h}) +
                       State(2, {Message("system", "", "It is 10:01."), h, a})),
              ElementsAre("foreign", HasSubstr("turn_start"), HasSubstr("Hi"), "foreign", HasSubstr("Hello.")));
}

// Any states, one after the other, whose turns are changed, removed, moved and added.
class AnyStates : public Generator {
 public:
  using Generator::Generator;

  std::vector<std::string> Next() {
    switch (Below(8)) {
      case 0:
        if (!turns_.empty()) turns_.erase(Any());
        break;
      case 1:
        turns_.insert(turns_.begin() + static_cast<std::ptrdiff_t>(Below(turns_.size() + 1)), Turn());
        break;
      case 2:
        if (!turns_.empty()) Any()->push_back(Other());
        break;
      case 3:
        if (!turns_.empty()) Any()->back().text += "!";
        break;
      case 4:
        if (auto turn = turns_.empty() ? turns_.end() : Any(); turn != turns_.end() && turn->size() > 1) {
          turn->pop_back();
        }
        break;
      case 5:
        if (turns_.size() > 1) std::swap(turns_.front(), turns_.back());
        break;
      default:
        turns_.push_back(Turn());
    }
    std::vector<std::string> messages;
    for (const Said& said : All())
      messages.push_back(LangGraphSamples::Message(said.by_user ? "user" : "assistant", said.id, said.text));
    return messages;
  }

  std::vector<std::string> Shown() const {
    std::vector<std::string> shown;
    for (const Said& said : All()) shown.push_back((said.by_user ? "user: " : "ai: ") + said.text);
    return shown;
  }

 private:
  struct Said {
    bool by_user = false;
    std::string id, text;
  };

  std::vector<std::vector<Said>>::iterator Any() {
    return turns_.begin() + static_cast<std::ptrdiff_t>(Below(turns_.size()));
  }
  // Some are equal to others, and have no ids.
  Said Other(bool by_user = false) {
    if (Below(4) == 0) return {by_user, "", "yes"};
    return {by_user, NewId(), fmt::format("message {}", Below(1000))};
  }
  std::vector<Said> Turn() {
    std::vector<Said> turn{Other(true)};
    for (std::size_t i = Below(3); i > 0; --i) turn.push_back(Other());
    return turn;
  }
  std::vector<Said> All() const {
    std::vector<Said> all;
    for (const auto& turn : turns_) all.insert(all.end(), turn.begin(), turn.end());
    return all;
  }

  std::vector<std::vector<Said>> turns_;
};

TEST_F(LangGraphStatesTest, TheLastStateIsShownWhateverWasBefore) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    AnyStates any(seed);
    std::string sql;
    for (int id = 1; id <= 12; ++id) sql += State(id, any.Next());
    EXPECT_EQ(ShownOf(sql), any.Shown());
  }
}

// Imported after each checkpoint, a thread has the same events as when it is imported once.
TEST_F(LangGraphStatesTest, AddOnlyWhatIsNew) {
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  database.Run(kTables);
  const std::filesystem::path live = dir_ / "live";
  AnyStates any(1);
  std::string sql;
  for (int id = 1; id <= 30; ++id) {
    const std::string state = State(id, any.Next());
    sql += state;
    database.Run(state);
    EXPECT_THAT(Must(Import(*log_, "langgraph", {&live, 1})).problems, IsEmpty());
    const ImportReport again = Must(Import(*log_, "langgraph", {&live, 1}));
    EXPECT_EQ(again.unchanged, 1);
    EXPECT_THAT(again.notes, IsEmpty());
  }
  EXPECT_EQ(Shapes(ImportedEvents()), ShapesOf(sql));
  EXPECT_EQ(ExportRawText("langgraph", "t"), Read(sql).only().written);
  EXPECT_EQ(ShownIn(ImportedEvents()), any.Shown());
}

}  // namespace
}  // namespace turnlog::langgraph_states_test
