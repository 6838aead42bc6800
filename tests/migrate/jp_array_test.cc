#include <gtest/gtest.h>

#include <string>

#include "migrate/jp/array.h"
#include "migrate/records/json_array.h"
#include "tests/migrate/jp_events.h"
#include "tests/support/sanitized.h"

namespace turnlog::jp_array_test {
namespace {

TEST(SplitJpEvents, LosesNoByte) {
  for (const std::string text : {"[\n  {\"a\": \"]},[\\\"\"},\n  5\n]\n", "[1,2]", " [ \"x\" , [ [ ] ] ,null\t] ",
                                 "[]\n", "[ \n ]", "[{\"a\" 1}]"}) {
    const auto split = SplitJpEvents(text);
    ASSERT_TRUE(split) << text;
    std::string again;
    for (const RawElement& element : split->elements) again.append(element.lead).append(element.text);
    EXPECT_EQ(again.append(split->trailer), text);
  }
}

TEST(SplitJpEvents, CutsWhereTheElementsEnd) {
  const auto split = SplitJpEvents("[\n  {\"a\": \"]},[\\\"\"},\n  5\n]\n");
  ASSERT_TRUE(split);
  ASSERT_EQ(split->elements.size(), 2);
  EXPECT_EQ(split->elements[0].lead, CanonicalLead(true));
  EXPECT_EQ(split->elements[0].text, R"({"a": "]},[\""})");
  EXPECT_EQ(split->elements[1].lead, CanonicalLead(false));
  EXPECT_EQ(split->elements[1].text, "5");
  EXPECT_EQ(split->trailer, CanonicalTrailer(false));
}

TEST(SplitJpEvents, NamesTheByteWhereTheTextIsNoArray) {
  const struct {
    std::string_view text;
    std::size_t byte;
  } kCases[] = {
      {"", 0},
      {"  {}", 2},
      {"\xef\xbb\xbf[]", 0},
      {"[", 1},
      {"[1", 2},
      {"[1,", 3},
      {"[1,]", 3},
      {"[,1]", 1},
      {"[1 2]", 3},
      {"[{}}]", 3},
      {"[1] x", 4},
      {"[1][2]", 3},
      {"[1,{\"a\": \"b\"", 3},
      {"[\"a", 1},
      {"[\"a\\", 1},
      {"[{\"a\\\"]}", 1},
  };
  for (const auto& [text, byte] : kCases) {
    const auto split = SplitJpEvents(text);
    ASSERT_FALSE(split) << text;
    EXPECT_EQ(split.error().byte, byte) << text;
  }
}

TEST(SplitJpEvents, TakesAnyDepth) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const auto split = SplitJpEvents(deep);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->elements.size(), 1);
}

TEST(SplitJpEvents, EveryBeginningOfAFileIsRefused) {
  const std::string text = "[\n  {\"a\": \"x\\\"y\"},\n  [5, null]\n]";
  for (std::size_t size = 0; size < text.size(); size += kByteStep) {
    EXPECT_FALSE(SplitJpEvents(std::string_view(text).substr(0, size))) << size;
  }
}

TEST(LeadLength, EndsWhereTheElementBegins) {
  EXPECT_EQ(LeadLength("[\n  {}"), 4);
  EXPECT_EQ(LeadLength(",5"), 1);
  EXPECT_EQ(LeadLength(" [ [1]"), 3);
  EXPECT_EQ(LeadLength("\xef\xbb\xbf [{}"), 5);
  EXPECT_EQ(LeadLength("\n  {}"), 3) << "after damage";
  EXPECT_EQ(LeadLength("{}"), 0);
}

}  // namespace
}  // namespace turnlog::jp_array_test
