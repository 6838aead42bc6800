#include "migrate/import/secret_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnlog::secret_answers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Event Ask(std::string id, AnswerKind kind) {
  Event event;
  event.body = InquiryRequest{{std::move(id), {}}, {SourceKind::kTool, "t", {}}, {"q", {kind, {}, {}, {}}}, {}};
  return event;
}

Event Answer(std::string id) {
  Event event;
  event.body = InquiryResponse{Outcome::kAnswered,
                               {std::move(id), {}},
                               Json::FromTrusted(R"("s3cret")"),
                               "s3cret",
                               Responder{"user", {}, {}, {}, {}}};
  event.source_text = "s3cret";
  return event;
}

// The indexes of the redacted answers.
std::vector<std::size_t> RedactSecretAnswers(std::vector<Event>& events) {
  std::vector<std::size_t> redacted;
  SecretAnswers answers;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventView event = View(events[i]);
    EventEncoder encoder;
    const auto inquiry = DecodeLabel(encoder.Encode(event))->inquiry;
    if (!answers.IsSecret(event.kind(), inquiry ? &*inquiry : nullptr)) continue;
    EventView view = event;
    RedactSecretAnswer(view);
    redacted.push_back(i);
    events[i] = Own(view);
  }
  return redacted;
}

TEST(SecretAnswers, LeaveNoText) {
  std::vector events{Event{}, Ask("a", AnswerKind::kSecret), Answer("a")};
  EXPECT_THAT(RedactSecretAnswers(events), ElementsAre(2));
  const auto& response = std::get<InquiryResponse>(events[2].body);
  EXPECT_EQ(response.outcome, Outcome::kRedacted);
  EXPECT_EQ(response.id.text, "a");
  EXPECT_TRUE(response.answer.empty());
  EXPECT_FALSE(response.reason);
  EXPECT_FALSE(response.responder);
  EXPECT_FALSE(events[2].source_text);
  EXPECT_TRUE(Validate(View(events[2])));
}

TEST(SecretAnswers, AreAlsoDefaultsOfTheirQuestions) {
  std::vector events{Ask("a", AnswerKind::kSecret), Ask("b", AnswerKind::kText)};
  for (Event& event : events) {
    std::get<InquiryRequest>(event.body).question.default_value = Json::FromTrusted(R"("s3cret")");
    event.source_text = "s3cret";
  }
  EXPECT_THAT(RedactSecretAnswers(events), ElementsAre(0));
  EXPECT_TRUE(std::get<InquiryRequest>(events[0].body).question.default_value.empty());
  EXPECT_FALSE(events[0].source_text);
}

TEST(SecretAnswers, AreFoundByTheNearestOpenQuestion) {
  std::vector events{Ask("a", AnswerKind::kSecret), Ask("a", AnswerKind::kText), Answer("a"), Answer("a")};
  EXPECT_THAT(RedactSecretAnswers(events), ElementsAre(3));
}

TEST(SecretAnswers, AreThoseToAQuestionThatIsClosedToo) {
  Event redacted = Answer("a");
  redacted.body = InquiryResponse{Outcome::kRedacted, {"a", {}}, {}, {}, {}};
  std::vector events{Ask("a", AnswerKind::kSecret), redacted, Answer("a"), Answer("b"), Answer("a")};
  EXPECT_THAT(RedactSecretAnswers(events), ElementsAre(2, 4));
}

TEST(SecretAnswers, MayComeInALaterTurn) {
  std::vector events{Ask("a", AnswerKind::kSecret), Event{},    Answer("a"), Answer("b"),
                     Ask("a", AnswerKind::kText),   Answer("a")};
  EXPECT_THAT(RedactSecretAnswers(events), ElementsAre(2));
}

}  // namespace
}  // namespace turnlog::secret_answers_test
