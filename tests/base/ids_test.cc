// Conversation ids and positions.
#include <gmock/gmock.h>

#include "turnlog/types.h"

namespace turnlog::ids_test {
namespace {

using namespace std::string_literals;

TEST(ConversationId, TakesTextOfOneTo512Bytes) {
  for (const std::string& text :
       {"a"s, " "s, "17733459000"s, "a/b\\c.d"s, "\xC3\xA9\xF0\x9D\x84\x9E"s, "\xC2\xA0"s, std::string(512, 'x')}) {
    const auto id = ConversationId::Parse(text);
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(id->text(), text);
  }
}

TEST(ConversationId, RefusesTheRest) {
  const std::string bad[] = {
      "", std::string(513, 'x'), "a\xFF", "a\xC2", "a\0b"s, "a\n", "\x1F", "\x7F", "a\xC2\x80", "\xC2\x9F!",
  };
  for (const std::string& text : bad) {
    const auto id = ConversationId::Parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code, ErrorCode::kInvalidArgument);
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
