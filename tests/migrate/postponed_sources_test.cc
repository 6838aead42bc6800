// Lines that are being written while their sources are followed.
#include "migrate/import/postponed_sources.h"

#include <gmock/gmock.h>

#include <fstream>
#include <string_view>

#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"

namespace turnlog::postponed_sources_test {
namespace {

namespace fs = std::filesystem;

using ::testing::SizeIs;

class PostponedSourcesTest : public ImportTest {
 protected:
  // Two files of one source, whose first ends within a line.
  PostponedSourcesTest() : path_(Write("s.jsonl", "{}\n{\"a\":")), other_(Write("s/x.txt", "a result")) {
    source_.path = path_;
    for (const fs::path& file : {path_, other_}) source_.files.emplace_back(file, false);
    postponed_.Add(source_, PostponedSources::StampsOf(source_), {});
  }

  static void AppendTo(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::app) << text; }

  bool IsInSameLine() { return postponed_.IsInSameLine(source_, bytes_read_); }

  fs::path path_, other_;
  Source source_;
  PostponedSources postponed_;
  std::uint64_t bytes_read_ = 0;
};

TEST_F(PostponedSourcesTest, ReadWhatALineGrowsByOnce) {
  for (const std::string_view piece : {"\"one", " two", " three"}) {
    AppendTo(path_, piece);
    EXPECT_TRUE(IsInSameLine());
  }
  EXPECT_EQ(bytes_read_, std::string_view("\"one two three").size());
}

TEST_F(PostponedSourcesTest, ReadNothingForAChangeThatTheyHaveSeen) {
  AppendTo(path_, "\"one");
  EXPECT_TRUE(IsInSameLine());
  const auto due = postponed_.NextDue();
  EXPECT_TRUE(IsInSameLine());
  EXPECT_EQ(bytes_read_, 4U);
  EXPECT_EQ(postponed_.NextDue(), due) << "it is not written to any more";
  AppendTo(path_, " two");
  EXPECT_TRUE(IsInSameLine());
  EXPECT_GT(postponed_.NextDue(), due);
}

TEST_F(PostponedSourcesTest, AreToBeReadOnceTheLineEnds) {
  AppendTo(path_, "1}\n{");
  EXPECT_FALSE(IsInSameLine());
  EXPECT_THAT(postponed_.TakeDue(true), SizeIs(1)) << "they still wait, unless they are read";
}

TEST_F(PostponedSourcesTest, AreToBeReadIfAnotherOfTheirFilesHasChanged) {
  AppendTo(path_, "\"one");
  AppendTo(other_, " and more");
  EXPECT_FALSE(IsInSameLine());
}

TEST_F(PostponedSourcesTest, AreToBeReadIfTheyShrankOrAreOtherFiles) {
  fs::resize_file(path_, 4);
  EXPECT_FALSE(IsInSameLine());
  Write("s.jsonl", "{}\n{\"a\":");
  postponed_.Add(source_, PostponedSources::StampsOf(source_), {});
  EXPECT_TRUE(IsInSameLine());
  fs::rename(Write("made", "{}\n{\"a\":\"one"), path_);
  EXPECT_FALSE(IsInSameLine());
}

TEST_F(PostponedSourcesTest, WaitAtLeastASecondAndLongerTheLongerTheyTake) {
  const auto before = PostponedSources::Clock::now();
  postponed_.Add(source_, PostponedSources::StampsOf(source_), {});
  EXPECT_GE(*postponed_.NextDue(), before + std::chrono::seconds(1));
  postponed_.Add(source_, PostponedSources::StampsOf(source_), std::chrono::seconds(60));
  EXPECT_GE(*postponed_.NextDue(), before + std::chrono::seconds(600));
}

}  // namespace
}  // namespace turnlog::postponed_sources_test
