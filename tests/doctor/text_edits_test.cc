// Changes of a text by positions.
#include "doctor/text_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace turnlog::text_edits_test {
namespace {

using testing::ElementsAre;

std::string Edited(const EditPass& edits, std::string_view text) {
  std::string out;
  const auto read = [&](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
    const std::string_view rest = text.substr(std::min<std::size_t>(offset, text.size()), to.size());
    std::memcpy(to.data(), rest.data(), rest.size());
    return rest.size();
  };
  EXPECT_TRUE(WriteEdited(edits, text.size(), read, [&](std::string_view bytes) -> Status {
    out += bytes;
    return {};
  }));
  return out;
}

TEST(TextEditsTest, ReplacesInsertsAndRemoves) {
  TextEdits edits;
  edits.Remove(8, 10);
  edits.Replace(1, 3, "XYZ");
  edits.Insert(5, "-");
  edits.Insert(10, "!");
  EXPECT_EQ(Edited(std::move(edits).Take(), "0123456789"), "0XYZ34-567!");
}

TEST(TextEditsTest, InsertsAtOnePositionInOrderWithTheLastOnesLast) {
  TextEdits edits;
  edits.InsertLast(2, "c");
  edits.Insert(2, "a");
  edits.Insert(2, "b");
  edits.Replace(2, 3, "d");
  EXPECT_EQ(Edited(std::move(edits).Take(), "01234"), "01abcd34");
}

TEST(TextEditsTest, KeepsTheLongerOfTwoThatOverlap) {
  TextEdits edits;
  edits.Replace(2, 4, "inner");
  edits.Replace(2, 8, "outer");
  edits.Replace(6, 9, "later");
  EXPECT_THAT(std::move(edits).Take(), ElementsAre(TextEdit{2, 8, "outer"}));
}

TEST(TextEditsTest, TrimsWhatIsTheSameBetweenCharacters) {
  EXPECT_EQ(Trimmed(10, "abcdef", "abXYef"), (TextEdit{12, 14, "XY"}));
  EXPECT_EQ(Trimmed(0, "same", "same"), (TextEdit{4, 4, ""}));
  EXPECT_EQ(Trimmed(0, "aa", "a"), (TextEdit{1, 2, ""}));
  // U+00E9 and U+00E8 share their first byte.
  EXPECT_EQ(Trimmed(0, "x\xc3\xa9y", "x\xc3\xa8y"), (TextEdit{1, 3, "\xc3\xa8"}));
  EXPECT_EQ(Trimmed(0, "x\xe9y", "x\xef\xbf\xbdy"), (TextEdit{1, 2, "\xef\xbf\xbd"}));
}

TEST(TextEditsTest, FailsIfTheFileBecomesShorter) {
  const auto read = [](std::uint64_t, std::span<char>) -> Result<std::size_t> { return 0; };
  const Status done = WriteEdited({}, 1, read, [](std::string_view) -> Status { return {}; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace turnlog::text_edits_test
