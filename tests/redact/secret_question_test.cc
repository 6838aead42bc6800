// Answers to questions that ask for a secret in words, because their history has no kind of question for one.
#include "sanitize/secrets/secret_question.h"

#include <gmock/gmock.h>

#include "tests/redact/redact_fixture.h"

namespace turnlog::secret_question_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Event AskInWords(std::string_view id, std::string text, std::vector<std::string> options = {}) {
  InquiryRequest request{.id = Opaque(id), .source = {.name = "tool"}};
  request.question.text = std::move(text);
  AnswerType& type = request.question.answer_type;
  type.kind = options.empty() ? AnswerKind::kText : AnswerKind::kSelect;
  type.other = !options.empty();
  for (const std::string& option : options) type.options.push_back({JsonString(option), {}, {}});
  Event event;
  event.body = std::move(request);
  return event;
}

class SecretQuestionTest : public RedactTest {
 protected:
  static RedactionTargets Detect() {
    RedactionTargets targets;
    targets.detect = true;
    return targets;
  }
};

TEST_F(SecretQuestionTest, TheAnswerGoesWithAllItsOccurrences) {
  const std::string words = "correct horse battery staple";
  Must(Append("c", {NewTurn(), AskInWords("q", "What is your GPG passphrase?"), Answered("q", words),
                    Say("unlocked with " + words)}));
  const RedactionProof proof = Redact(Detect());
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(proof.rules, ElementsAre("secret-question"));
  EXPECT_THAT(Json("c")[2], HasSubstr(R"("outcome":"redacted")"));
  EXPECT_EQ(Json("c")[3], R"({"type":"chat_request","content":"unlocked with [redacted]"})");
}

TEST_F(SecretQuestionTest, OnlyTheUsersOwnTextIsASecret) {
  const std::vector<std::string> options{"Use the keychain", "Ask again later"};
  Must(Append("c", {NewTurn(), AskInWords("own", "API key?", options), Answered("own", value_),
                    AskInWords("option", "API key?", options), Answered("option", options[0]),
                    AskInWords("no", "Please enter the access-token"), Answered("no", "Skip"),
                    AskInWords("other", "Which keyboard layout?"), Answered("other", "de")}));
  EXPECT_THAT(Redact(Detect()).conversations, ::testing::SizeIs(1));
  const std::vector<std::string> lines = Json("c");
  EXPECT_THAT(lines[2], Not(HasSubstr(value_)));
  EXPECT_THAT(lines[4], HasSubstr(options[0]));
  EXPECT_THAT(lines[6], HasSubstr("Skip"));
  EXPECT_THAT(lines[8], HasSubstr("de"));
}

TEST_F(SecretQuestionTest, WhatIsAcceptedStays) {
  Must(Append("c", {NewTurn(), AskInWords("q", "Which password policy?"), Answered("q", "twelve letters at least")}));
  RedactionTargets targets = Detect();
  targets.accepted = {{"secret-question", "c", Seq{3}}};
  EXPECT_THAT(Redact(targets).conversations, IsEmpty());
  EXPECT_THAT(Redact(Secrets()).conversations, IsEmpty());
  EXPECT_THAT(Json("c")[2], HasSubstr("twelve letters"));
}

TEST(SecretQuestions, AreKnownByTheirWords) {
  const auto asks = [](const std::string& text) {
    const Event event = AskInWords("q", text);
    const EventView view = View(event);
    return AsksForSecret(std::get<InquiryRequestView>(view.body).question);
  };
  for (const char* text :
       {"Password:", "Enter your API_KEY", "the SSH passphrase, please", "2FA code?", "db-password?"}) {
    EXPECT_TRUE(asks(text)) << text;
  }
  for (const char* text : {"", "Which key binding?", "Apply this patch?", "Where is the token bucket?"}) {
    EXPECT_FALSE(asks(text)) << text;
  }
}

}  // namespace
}  // namespace turnlog::secret_question_test
