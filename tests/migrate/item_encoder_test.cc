#include "migrate/sources/item_encoder.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/must.h"

namespace turnlog::item_encoder_test {
namespace {

Event Say(std::string text) { return {.body = ChatRequest{std::move(text), {}, {}}}; }

TEST(ItemEncoderTest, KeepsSmallEventsUntilTheNext) {
  ItemEncoder encoder;
  Event event = Say("small");
  const SourceEvent item = encoder.Encode(event);
  EXPECT_EQ(item.memory, nullptr);
  EXPECT_EQ(Own(item.event.View()), Say("small"));
}

TEST(ItemEncoderTest, LargeEventsBringTheirMemoryAlong) {
  ItemEncoder encoder;
  const std::string text(100'000, 'x');
  Event event = Say(text), next = Say("next");
  const SourceEvent item = encoder.Encode(event);
  EXPECT_EQ(event, Event());
  (void)encoder.Encode(next);
  ASSERT_NE(item.memory, nullptr);
  EXPECT_EQ(Own(item.event.View()), Say(text));
}

TEST(ItemEncoderTest, RefusesWhatTheLogWouldRefuse) {
  const Event invalid = Say("\xff");
  const auto why = WhyRefused(invalid);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ImportProblemCode::kRefused);
  EXPECT_EQ(why->text, "content: byte 0: not valid UTF-8");
  EXPECT_FALSE(WhyRefused(Say("valid")));
  EXPECT_FALSE(EncodeChecked(View(invalid)));
}

TEST(ItemEncoderTest, AnEventIsReplacedByAValidOneOnly) {
  ItemEncoder encoder;
  Event event = Say("before");
  SourceEvent item = encoder.Encode(event);
  const Event invalid = Say("\xff"), valid = Say("after");
  EXPECT_FALSE(item.Replace(View(invalid)));
  EXPECT_EQ(Own(item.event.View()), Say("before"));
  Must(item.Replace(View(valid)));
  EXPECT_EQ(Own(item.event.View()), Say("after"));
}

}  // namespace
}  // namespace turnlog::item_encoder_test
