// Sources that are imported while their tools write them.
#include <gmock/gmock.h>

#include "migrate/import/source_import.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::being_written_test {
namespace {

using ::testing::ElementsAre;

const std::string kSession(kClaudeSession);

struct ImportedNow {
  bool postponed = false;
  std::uint64_t events = 0;
  std::size_t problems = 0, notes = 0;
  bool operator==(const ImportedNow&) const = default;
};
constexpr ImportedNow kPostponed{.postponed = true};

class BeingWrittenTest : public ImportTest {
 protected:
  ImportedNow ImportFile(const std::string& name, std::string_view format, std::string_view now, bool may_postpone) {
    const std::filesystem::path path = Write(name, now);
    ImportRun run(*log_);
    run.may_postpone = may_postpone;
    Source source{path, path.filename(), path.parent_path().filename(), {}};
    source.files.emplace_back(path, false);
    SourceImport import(run, *FindFormat(format), source);
    Must(import.Import());
    const ImportReport report = Must(run.Finish());
    return {import.postponed(), report.events, report.problems.size(), report.notes.size()};
  }
};

// Its tool writes it anew, and for a moment it has no end.
TEST_F(BeingWrittenTest, ADocumentWaitsForItsEnd) {
  const std::string one = R"([{"role":"user","content":"one"}])", torn = R"([{"role":"user","content":"one"},)";
  const auto import = [&](std::string_view now, bool may_postpone) {
    return ImportFile("chat.json", "openai", now, may_postpone);
  };
  EXPECT_EQ(import(one.substr(0, one.size() - 5), true), kPostponed);
  EXPECT_EQ(import(one, true), ImportedNow{.events = 3});
  EXPECT_EQ(import("", true), kPostponed);
  EXPECT_EQ(import("[{", true), kPostponed);
  EXPECT_EQ(import(torn, true), kPostponed);
  EXPECT_EQ(import(torn + R"({"role":"user","content":"two"}])", true), ImportedNow{.events = 3});
  EXPECT_EQ(import(torn, true), kPostponed);
  const ImportedNow stays = import(torn, false);
  EXPECT_FALSE(stays.postponed);
  EXPECT_EQ(stays.problems, 2U) << "it has no end, and less than was imported";
  EXPECT_THAT(Said("chat"), ElementsAre("one", "two"));
}

// Not all of it need be there when it is looked at.
TEST_F(BeingWrittenTest, ASourceThatHasLessWaits) {
  const auto import = [&](std::string_view now, bool may_postpone) {
    return ImportFile(kSession + ".jsonl", "claude-code", now, may_postpone);
  };
  const std::string one = ClaudeUser("1", R"("one")") + "\n", two = one + ClaudeUser("2", R"("two")") + "\n";
  EXPECT_EQ(import(two, true), ImportedNow{.events = 5});
  EXPECT_EQ(import(one, true), kPostponed);
  EXPECT_EQ(import(one, false), ImportedNow{.notes = 1}) << "it stays so";
}

// Each piece of a line that is being written would be kept in a record of its own.
TEST_F(BeingWrittenTest, ALineWaitsForItsEnd) {
  const auto import = [&](std::string_view now, bool may_postpone) {
    return ImportFile(kSession + ".jsonl", "claude-code", now, may_postpone);
  };
  const std::string one = ClaudeUser("1", R"("one")") + "\n", two = one + ClaudeUser("2", R"("two")") + "\n";
  const std::string torn = two.substr(0, one.size() + 10);
  EXPECT_EQ(import(one, true), ImportedNow{.events = 3}) << "a new conversation is not postponed";
  EXPECT_EQ(import(torn, true), kPostponed);
  EXPECT_EQ(import(torn, true), kPostponed) << "it is still to be imported";
  EXPECT_EQ(import(torn, false), (ImportedNow{.events = 1, .notes = 1})) << "that it is not complete";
  EXPECT_EQ(import(torn, true), ImportedNow{});
  EXPECT_EQ(import(two, true), ImportedNow{.events = 3});
  EXPECT_THAT(Said(kSession), ElementsAre("one", "two"));
}

}  // namespace
}  // namespace turnlog::being_written_test
