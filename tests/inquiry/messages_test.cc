#include "turnlog/inquiry/messages.h"

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::messages_test {
namespace {

using Role = PromptMessage::Role;

class MessagesTest : public InquiryTest {};

TEST_F(MessagesTest, AreOfTheUserTheModelAndTheToolsInTurn) {
  auto turn = Begin("hello");
  Must(turn->Respond({ChatPart::kReasoning, "hm"}));
  Must(turn->Respond({ChatPart::kMessage, "let me see"}));
  Must(turn->RequestTools(std::vector{Call("a"), Call("b")}));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "q", Boolean()))).text, ByUser("true")));
  Must(turn->FinishTool("b", {"two", false, {}}));
  Must(turn->FinishTool("a", {"one", true, {}}));
  Must(turn->Respond({ChatPart::kMessage, "done"}));
  const auto messages = Must(ReadMessages(*log_, c_));
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0], (PromptMessage{.role = Role::kUser, .text = "hello"}));
  EXPECT_EQ(
      messages[1],
      (PromptMessage{.role = Role::kModel, .text = "let me see", .reasoning = "hm", .calls = {Call("a"), Call("b")}}));
  EXPECT_EQ(messages[2].results.size(), 2U);
  EXPECT_EQ(messages[2].results[0].content, "two");
  EXPECT_EQ(messages[3].text, "done");
}

TEST_F(MessagesTest, AreThoseOfTheSanitizedView) {
  auto turn = Begin("hello");
  Must(turn->RequestTool(Call("a")));
  turn->Suspend();
  Must(Sanitize(*log_, c_, {.close_open = true}));
  const auto messages = Must(ReadMessages(*log_, c_));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[2].role, Role::kTools);
  EXPECT_TRUE(messages[2].results[0].is_error);
}

}  // namespace
}  // namespace turnlog::messages_test
