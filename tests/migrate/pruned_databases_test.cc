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

class PrunedDatabasesTest : public LangGraphThreadTest {
 protected:
  ImportReport ImportAgain() {
    const std::vector<std::filesystem::path> paths{path_.parent_path()};
    return Must(Import(*log_, "auto", paths));
  }

  const std::filesystem::path path_ = dir_ / "live" / "data.sqlite";
};

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
