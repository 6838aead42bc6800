// Histories written by hand, with all liberties of JSON writers: an export returns the imported bytes.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "tests/migrate/import_fixture.h"
#include "tests/support/source_dir.h"
#include "turnlog/migrate/export.h"

namespace turnlog::jp_histories_test {
namespace {

constexpr int kConversations = 9;

class JpHistoriesTest : public ImportTest {
 protected:
  const std::filesystem::path folder_ = SourceDir() / "tests/migrate/histories";
};

TEST_F(JpHistoriesTest, GoOutByteByByteAsTheyCameIn) {
  const ImportReport report = Jp({folder_});
  EXPECT_EQ(report.added, kConversations);
  EXPECT_EQ(report.failed, 0);
  for (const bool raw : {false, true}) {
    SCOPED_TRACE(raw);
    const auto out = dir_ / (raw ? "raw" : "sanitized");
    ASSERT_TRUE(ExportToJp(All(), out, {.raw = raw}));
    EXPECT_EQ(ReadTree(out), ReadTree(folder_));
  }
}

TEST_F(JpHistoriesTest, AreUnchangedWhenTheyComeAgain) {
  Jp({folder_});
  const ImportReport again = Jp({folder_});
  EXPECT_EQ(again.unchanged, kConversations);
  EXPECT_EQ(again.events, 0);
  ASSERT_TRUE(ExportToJp(All(), dir_ / "out"));
  EXPECT_EQ(Jp({dir_ / "out"}).unchanged, kConversations) << "an export is a source";
}

// Each kind of element, all over the conversations.
TEST_F(JpHistoriesTest, KeepKindsThatAreNotKnown) {
  constexpr std::string_view kType = R"("type": ")";
  std::set<std::string> kinds;
  for (const auto& [name, bytes] : ReadTree(folder_)) {
    for (std::size_t at = bytes.find(kType); at != std::string::npos; at = bytes.find(kType, at + 1)) {
      const std::size_t begin = at + kType.size();
      kinds.insert(bytes.substr(begin, bytes.find('"', begin) - begin));
    }
  }
  EXPECT_THAT(kinds, testing::IsSupersetOf({"turn_start", "chat_request", "chat_response", "tool_call_request",
                                            "tool_call_response", "inquiry_request", "inquiry_response"}));
  const ImportReport known = Jp({folder_});  // one has elements that are not what their kind says
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    TempStore store;
    std::swap(store.log, log_);
    std::filesystem::remove_all(dir_ / "jp");
    for (auto [name, bytes] : ReadTree(folder_)) {
      const std::string element = std::string(kType) + kind + "\"";
      for (std::size_t at = bytes.find(element); at != std::string::npos; at = bytes.find(element, at + 1)) {
        bytes.insert(at + kType.size(), "x-");
      }
      Write("jp/" + name, bytes);
    }
    const ImportReport report = Jp();
    EXPECT_EQ(report.added, kConversations);
    EXPECT_LE(report.problems.size(), known.problems.size());
    std::filesystem::remove_all(dir_ / "out");
    ASSERT_TRUE(ExportToJp(All(), dir_ / "out", {.raw = true}));
    EXPECT_EQ(ReadTree(dir_ / "out"), ReadTree(dir_ / "jp"));
    std::swap(store.log, log_);
  }
}

}  // namespace
}  // namespace turnlog::jp_histories_test
