// Databases that have lost what they began with, and such with several conversations of one name.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/langgraph_threads.h"
#include "tests/support/must.h"

namespace turnlog::pruned_databases_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PrunedDatabasesTest : public LangGraphThreadTest {
 protected:
  ImportReport ImportAgain() {
    const std::vector<std::filesystem::path> paths{path_.parent_path()};
    return Must(Import(*log_, "auto", paths));
  }

  const std::filesystem::path path_ = dir_ / "live" / "data.sqlite";
  const std::vector<std::string> all_{User("h1", "one"), Ai("a1", "A1"), User("h2", "two"), Ai("a2", "A2"),
                                      User("h3", "three")};
  // The first ones of them.
  std::string StateOf(int messages) {
    return State(messages, std::vector<std::string>(all_.begin(), all_.begin() + messages));
  }
};

TEST_F(PrunedDatabasesTest, LeaveInTheLogWhatTheyHad) {
  TestDatabase database(path_);
  database.Run(kTables + StateOf(1) + StateOf(2) + StateOf(3) + StateOf(4));
  EXPECT_EQ(ImportAgain().added, 1);
  const std::vector<Event> before = Events("t");
  database.Run("DELETE FROM checkpoints WHERE checkpoint_id < '0003';");
  const ImportReport pruned = ImportAgain();
  EXPECT_THAT(pruned.problems, IsEmpty());
  EXPECT_THAT(pruned.notes, ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kBegunAgain)));
  EXPECT_EQ(Events("t"), before);
  database.Run(StateOf(5));
  EXPECT_THAT(ImportAgain().problems, IsEmpty());
  EXPECT_THAT(Said("t"), ElementsAre("one", "two", "three"));
}

TEST_F(PrunedDatabasesTest, AreReportedOnceEachTime) {
  TestDatabase database(path_);
  const auto notes = [&](const std::string& rows) {
    database.Run(rows);
    return ImportAgain().notes.size();
  };
  EXPECT_EQ(notes(kTables + StateOf(1) + StateOf(2) + StateOf(3)), 0U);
  EXPECT_EQ(notes("DELETE FROM checkpoints WHERE checkpoint_id < '0002';" + StateOf(4)), 1U);
  EXPECT_EQ(notes(StateOf(5)), 0U) << "it goes on";
  EXPECT_EQ(notes("DELETE FROM checkpoints WHERE checkpoint_id < '0004';" + State(6, all_)), 1U);
  EXPECT_EQ(notes(State(7, all_)), 0U);
}

TEST_F(PrunedDatabasesTest, MayGoOnAtOnce) {
  TestDatabase database(path_);
  database.Run(kTables + StateOf(1) + StateOf(2) + StateOf(3) + StateOf(4));
  EXPECT_EQ(ImportAgain().added, 1);
  database.Run("DELETE FROM checkpoints WHERE checkpoint_id < '0003';" + StateOf(5));
  EXPECT_THAT(ImportAgain().problems, IsEmpty());
  EXPECT_THAT(Said("t"), ElementsAre("one", "two", "three"));
}

TEST_F(PrunedDatabasesTest, MayBeginWithAFork) {
  TestDatabase database(path_);
  database.Run(kTables + StateOf(2) + StateOf(4) + State(5, {all_[0], all_[1], all_[4]}));
  EXPECT_EQ(ImportAgain().added, 1);
  database.Run("DELETE FROM checkpoints WHERE checkpoint_id < '0005';" +
               State(6, {all_[0], all_[1], all_[4], Ai("a3", "A3")}));
  EXPECT_THAT(ImportAgain().problems, IsEmpty());
  EXPECT_THAT(ShownIn(ImportedEvents()), ElementsAre("user: one", "ai: A1", "user: three", "ai: A3"));
}

// The second turn was hidden by a fork, and the database no longer has it.
TEST_F(PrunedDatabasesTest, HideNoOtherTurnsThanTheyName) {
  TestDatabase database(path_);
  database.Run(kTables + StateOf(2) + StateOf(4) + State(5, {all_[0], all_[1], all_[4]}));
  EXPECT_EQ(ImportAgain().added, 1);
  const std::vector<std::string> before = ShownIn(ImportedEvents());
  database.Run("DELETE FROM checkpoints WHERE checkpoint_id < '0005';" + State(6, {all_[0], all_[1]}));
  EXPECT_THAT(ImportAgain().problems, ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kChanged)));
  EXPECT_EQ(ShownIn(ImportedEvents()), before);
}

TEST_F(PrunedDatabasesTest, OfTheAgentsSdkGoOn) {
  TestDatabase database(path_);
  const auto add = [&](const std::string& message) {
    database.Run("INSERT INTO agent_messages (session_id, message_data) VALUES ('s'," + Quoted(message) + ");");
  };
  database.Run(
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message_data TEXT);");
  for (const std::string& message : all_) add(message);
  EXPECT_EQ(ImportAgain().added, 1);
  database.Run("DELETE FROM agent_messages WHERE id = 1;");
  EXPECT_THAT(ImportAgain().problems, IsEmpty());
  add(User("h4", "four"));
  EXPECT_THAT(ImportAgain().problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one", "two", "three", "four"));
}

// As a copy of a database may have them.
TEST_F(PrunedDatabasesTest, MayHaveTablesWithoutRowids) {
  TestDatabase database(path_);
  std::string tables = kTables;
  for (std::size_t end = 0; (end = tables.find(");", end)) != std::string::npos; end += 3) {
    tables.replace(end, 2, ") WITHOUT ROWID;");
  }
  database.Run(tables + StateOf(1) + Written(1, -4, R"("yes")", "__resume__") +
               Written(1, -3, R"([{"value":"sure?","id":"i"}])", "__interrupt__"));
  EXPECT_EQ(ImportAgain().added, 1);
  database.Run(StateOf(2) + StateOf(3));
  const ImportReport report = ImportAgain();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_THAT(Said("t"), ElementsAre("one", "two"));
}

TEST_F(PrunedDatabasesTest, KeepThreadsWithOneNameApart) {
  const auto thread = [&](std::string_view id, std::string_view space, std::string_view prompt) {
    return fmt::format("INSERT INTO checkpoints VALUES ('{}','{}','{}',NULL,'json',{},'{{}}');", id, space, prompt,
                       Quoted(fmt::format(R"({{"channel_values":{{"messages":[{}]}}}})", User("h", prompt))));
  };
  TestDatabase database(path_);
  database.Run(kTables + thread("t", "child", "of the subgraph") + thread("t/child", "", "of the thread"));
  const ImportReport report = ImportAgain();
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, ElementsAre(Field(&ImportProblem::reason, HasSubstr("same name, \"t/child\""))));
  EXPECT_THAT(Said("t/child"), ElementsAre("of the subgraph"));
}

}  // namespace
}  // namespace turnlog::pruned_databases_test
