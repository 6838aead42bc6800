// Conversation ids and positions.
#include <gmock/gmock.h>

#include "turnlog/types.h"

namespace turnlog::ids_test {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

TEST(ConversationId, TakesTextOfOneTo512Bytes) {
  for (const std::string& text :
       {"a"s, " "s, "17733459000"s, "a/b\\c.d"s, "\xC3\xA9\xF0\x9D\x84\x9E"s, "\xC2\xA0"s, std::string(512, 'x')}) {
    const auto id = ConversationId::Parse(text);
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(id->text(), text);
  }
}

TEST(ConversationId, RefusesTheRestAndSaysWhy) {
  const std::pair<std::string, std::string> bad[] = {
      {"", "is empty"},
      {std::string(513, 'x'), "has 513 bytes, at most 512 are allowed"},
      {"a\xFF", "not valid UTF-8"},
      {"a\xC2", "not valid UTF-8"},
      {"a\0b"s, "control character"},
      {"a\n", "control character"},
      {"\x1F", "control character"},
      {"\x7F", "control character"},
      {"a\xC2\x80", "control character"},
      {"\xC2\x9F!", "control character"},
  };
  for (const auto& [text, reason] : bad) {
    const auto id = ConversationId::Parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(id.error().message, HasSubstr(reason));
  }
}

TEST(ConversationId, OrdersByBytes) {
  EXPECT_LT(*ConversationId::Parse("B"), *ConversationId::Parse("a"));
  EXPECT_LT(*ConversationId::Parse("a"), *ConversationId::Parse("aa"));
  EXPECT_EQ(*ConversationId::Parse("a"), *ConversationId::Parse("a"));
}

TEST(Position, TextComesBackAsTheSamePosition) {
  for (const std::string& text :
       {std::string("0-0"), std::string("1f40-9b3c"), std::string("~!\"/{}"), std::string(kMaxPositionBytes, 'p')}) {
    const auto position = Position::Parse(text);
    ASSERT_TRUE(position) << text;
    EXPECT_EQ(position->ToText(), text);
    EXPECT_EQ(*position == Position(), text == "0-0");
  }
  EXPECT_EQ(Position().ToText(), "0-0");
}

TEST(Position, RefusesWhatNoEngineWrites) {
  for (const std::string& text : {std::string(), std::string(" 1-2"), std::string("1\t2"), std::string("1\x7f"),
                                  std::string("\xc3\xa4"), std::string(kMaxPositionBytes + 1, 'p')}) {
    const auto position = Position::Parse(text);
    ASSERT_FALSE(position) << text;
    EXPECT_EQ(position.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace turnlog::ids_test
