// Rows of databases that belong to no message, checkpoint or session that is there: they are kept, too.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/records/record_revision.h"
#include "tests/migrate/agents_database.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/langgraph_threads.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/support/must.h"

namespace turnlog::unowned_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class UnownedRowsTest : public ImportTest, public LangGraphSamples {
 protected:
  UnownedRowsTest() : database_(dir_ / "live" / "agent.db") {}

  // Nothing is lost or reported, and a second import has nothing to add.
  ImportReport Add(const std::string& rows) {
    database_.Run(rows);
    Settle();
    ImportReport report = AutoSilently(paths_);
    for (const auto& bytes : report.bytes) EXPECT_EQ(bytes.unreadable, 0U);
    EXPECT_EQ(Auto(paths_).events, 0U);
    const ImportReport again = Auto({Copy()});
    EXPECT_EQ(again.events, 0U);
    EXPECT_THAT(again.problems, IsEmpty());
    return report;
  }
  std::vector<std::string> RowNames(std::string_view conversation) {
    std::vector<std::string> names;
    for (const Event& event : Events(conversation)) {
      if (auto name = ReadRowName(View(event))) names.push_back(*std::move(name));
    }
    return names;
  }

  // Another file, which is read and compared as a whole.
  std::filesystem::path Copy() {
    const std::filesystem::path copy = dir_ / fmt::format("copy{}", ++copies_) / "agent.db";
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::copy_file(dir_ / "live" / "agent.db", copy);
    return copy;
  }

  int copies_ = 0;
  TestDatabase database_;
  const std::vector<std::filesystem::path> paths_{dir_ / "live"};
};

TEST_F(UnownedRowsTest, OfLangGraphAreThoseWithoutTheirCheckpoint) {
  Add(kTables + State(2, {User("u", "Hi")}) + Written(1, 0, R"("lost")", "other") +
      Written(2, 0, R"("kept")", "other") + Written(3, -1, R"("early")", "other"));
  EXPECT_THAT(Said("t"), ElementsAre("Hi"));
  EXPECT_THAT(RowNames("t"), ElementsAre("writes/0001/task/0", "writes/0003/task/-1"));
  EXPECT_THAT(ExportRawText("langgraph", "t"), HasSubstr(R"("value":"lost")"));
  EXPECT_EQ(Add(State(3, {User("u", "Hi"), User("v", "More")})).extended, 1);
  EXPECT_THAT(Said("t"), ElementsAre("Hi", "More"));
}

TEST_F(UnownedRowsTest, OfLangGraphMayBeAllThatAThreadHas) {
  EXPECT_EQ(Add(kTables + Written(1, 0, R"("lost")", "other")).added, 1);
  EXPECT_THAT(ExportRawText("langgraph", "t"), HasSubstr(R"("value":"lost")"));
  EXPECT_EQ(Add(State(1, {User("u", "Hi")})).extended, 1);
  EXPECT_THAT(Said("t"), ElementsAre("Hi"));
}

TEST_F(UnownedRowsTest, OfOpencodeAreThoseWithoutTheirMessage) {
  Add(kOpencodeTables + OpencodeMessageRow("m1", R"("role":"user")") +
      OpencodePartRow("p1", "m1", OpencodeTextPart("Hi")) + OpencodePartRow("p2", "gone", OpencodeTextPart("lost")));
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
  EXPECT_THAT(RowNames("s"), ElementsAre("part/p2"));
  EXPECT_THAT(ExportRaw("opencode", "s").at("s/s.json"), HasSubstr("lost"));
  Add(OpencodePartRow("p3", "m1", OpencodeTextPart("more")));
  EXPECT_THAT(RowNames("s"), ElementsAre("part/p2"));
}

TEST_F(UnownedRowsTest, OfOpencodeAreThoseWithoutTheirSession) {
  EXPECT_EQ(Add(kOpencodeTables + OpencodeMessageRow("m1", R"("role":"user")") +
                OpencodePartRow("p1", "m1", OpencodeTextPart("Hi")) +
                "DELETE FROM session; INSERT INTO todo VALUES ('other','to do');"
                "INSERT INTO part VALUES ('p9','m9','third',1,1,'{}');")
                .added,
            3);
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
  EXPECT_THAT(ExportRaw("opencode", "other").at("other/other.json"), HasSubstr("to do"));
  EXPECT_THAT(RowNames("third"), ElementsAre("part/p9"));
  Add("INSERT INTO session VALUES ('s','p','up','t',1);");
}

TEST_F(UnownedRowsTest, OfTheAgentsSdkAreFurtherPlacesOfAMessageInABranch) {
  using agents_database::Message;
  using agents_database::PlaceIn;
  Add(agents_database::kTables + agents_database::kBranches + agents_database::Session("s") +
      Message("s", R"({"role":"user","content":"one"})") + Message("s", R"({"role":"user","content":"two"})") +
      PlaceIn("main", 1, 1) + PlaceIn("main", 1, 2) + PlaceIn("b", 2, 1) + PlaceIn("b", 2, 2));
  EXPECT_THAT(Said("s"), ElementsAre("one"));
  EXPECT_THAT(Said("s/b"), ElementsAre("two"));
  EXPECT_THAT(Events("s/b"), SizeIs(3)) << "it comes in once";
  EXPECT_THAT(RowNames("s"), ElementsAre("message_structure/2", "message_structure/4"));
}

TEST_F(UnownedRowsTest, OfTheAgentsSdkAreLeftWhenASessionIsCleared) {
  using agents_database::PlaceIn;
  const std::string usage =
      "CREATE TABLE turn_usage (id INTEGER PRIMARY KEY, session_id TEXT, branch_id TEXT, user_turn_number INTEGER,"
      " total_tokens INTEGER); INSERT INTO turn_usage VALUES (1,'s','main',1,17),(2,'s','b',1,18);";
  EXPECT_EQ(
      Add(agents_database::kTables + agents_database::kBranches + usage + PlaceIn("main", 1, 1) + PlaceIn("b", 1, 1))
          .added,
      2);
  EXPECT_THAT(RowNames("s"),
              ElementsAre("turn_usage/b/1", "turn_usage/main/1", "message_structure/1", "message_structure/2"));
  EXPECT_EQ(
      Add(agents_database::Session("s") + "INSERT INTO agent_messages VALUES "
                                          "(5,'s','{\"role\":\"user\",\"content\":\"Hi\"}','2026-01-31 10:00:05');")
          .extended,
      1);
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
}

}  // namespace
}  // namespace turnlog::unowned_rows_test
