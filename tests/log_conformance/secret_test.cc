// An answer in clear to a question that asks for a secret does not reach the log.
#include "tests/log_conformance/conformance.h"
#include "tests/log_conformance/stored_text.h"

namespace turnlog::secret_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const InquiryId kSecret = Opaque("call.token");

class SecretTest : public ConformanceTest {
 protected:
  void ExpectRefused(const Result<AppendResult>& refused, std::string_view asked_at) {
    EXPECT_EQ(CodeOf(refused), "secret refused");
    EXPECT_THAT(MessageOf(refused), HasSubstr("seq " + std::string(asked_at)));
    EXPECT_THAT(MessageOf(refused), Not(HasSubstr("hush-hush")));
  }
};

TURNLOG_FOR_ALL_ENGINES(SecretTest);

TEST_P(SecretTest, IsRefusedAfterTheRequest) {
  Must(Append("a", {NewTurn(), AskSecret(kSecret)}));
  ExpectRefused(Append("a", Answer(kSecret)), "2");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 1 turn", "2 1 ask call.token"));
  EXPECT_THAT(PendingLines(*log_), ElementsAre("a t1 2"));
}

TEST_P(SecretTest, IsRefusedInTheSameBatchAndTheBatchWithIt) {
  ExpectRefused(Append("a", {Say("1"), AskSecret(kSecret), Answer(kSecret)}), "2");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_P(SecretTest, IsRefusedWhereverTheRequestIsIndexed) {
  Must(Append("a", AskSecret(kSecret)));
  Must(log_->Checkpoint());
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Reopen();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", Say("2")));
  ReopenAfterKill();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

TEST_P(SecretTest, IsRefusedUnderKeyedIds) {
  Must(Append("a", AskSecret(Keyed("call", "token", 1))));
  ExpectRefused(Append("a", Answer(Keyed("call", "token", 1))), "1");
  ExpectRefused(Append("a", Answer(Opaque("call.token.1"))), "1");
  EXPECT_EQ(CodeOf(Append("a", Answer(Keyed("call", "token", 2)))), "fine");
}

TEST_P(SecretTest, MayBeRedactedOrCancelled) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret), AskSecret(kSecret), Cancel(kSecret)}));
  EXPECT_THAT(PendingLines(*log_), ElementsAre());
}

// The question has a response; a later answer under its id would still be the secret.
TEST_P(SecretTest, IsRefusedAfterTheRequestHasBeenClosed) {
  for (const Event& closing : {Redacted(kSecret), Cancel(kSecret)}) {
    const std::string name = Brief(View(closing));
    Must(Append(name, {NewTurn(), AskSecret(kSecret), closing}));
    ExpectRefused(Append(name, Answer(kSecret)), "2");
    ExpectRefused(Append(name, {Say("4"), Answer(kSecret)}), "2");
    EXPECT_EQ(CodeOf(Append(name, Redacted(kSecret))), "fine");
    EXPECT_EQ(CodeOf(Append(name, Answer(Opaque("call.other")))), "fine");
    ExpectRefused(Append(name, {NewTurn(), Answer(kSecret)}), "2");
  }
  ExpectRefused(Append("batch", {AskSecret(kSecret), Redacted(kSecret), Answer(kSecret)}), "1");
}

TEST_P(SecretTest, IsRefusedAfterTheRequestHasBeenClosedWhereverThatIsIndexed) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret)}));
  Must(log_->Checkpoint());
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Reopen();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", Say("3")));
  ReopenAfterKill();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  ReopenWithoutDerived();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

// A question of the same id that asks for no secret may be answered, once.
TEST_P(SecretTest, IsNotTheAnswerToALaterQuestionOfItsId) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret), Ask(kSecret)}));
  EXPECT_EQ(CodeOf(Append("a", Answer(kSecret))), "fine");
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

// It answers no question any more, but it still is the secret.
TEST_P(SecretTest, OfAnEarlierTurnIsRefused) {
  Must(Append("a", {AskSecret(kSecret), NewTurn()}));
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(log_->Checkpoint());
  Reopen();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  ReopenWithoutDerived();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  ExpectRefused(Append("b", {AskSecret(kSecret), NewTurn(), Answer(kSecret)}), "1");
  EXPECT_EQ(CodeOf(Append("b", {AskSecret(kSecret), NewTurn(), Ask(kSecret), Answer(kSecret)})), "fine");
}

TEST_P(SecretTest, RepeatedIdsAnswerTheNearestOpenRequest) {
  Must(Append("a", {AskSecret(kSecret), Ask(kSecret)}));
  EXPECT_EQ(CodeOf(Append("a", Answer(kSecret))), "fine");
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", {Ask(kSecret), AskSecret(kSecret)}));
  ExpectRefused(Append("a", Answer(kSecret)), "5");
}

TEST_P(SecretTest, RequestThatIsARepeatIsNotAsked) {
  Must(Append("a", {Named("e", AskSecret(kSecret)), Redacted(kSecret)}));
  Must(Append("a", Ask(kSecret)));
  EXPECT_EQ(CodeOf(Append("a", {Named("e", AskSecret(kSecret)), Answer(kSecret)})), "fine");
}

TEST_P(SecretTest, IsStoredNowhereAfterTheRefusal) {
  Must(Append("a", AskSecret(kSecret)));
  ExpectRefused(Append("a", {Say("before"), Answer(kSecret)}), "1");
  Must(Append("a", Say("after"), {.durability = Durability::kSync}));
  EXPECT_THAT(StoredObjectsWith(*log_, "hush-hush"), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, "after"), Not(IsEmpty()));
}

TEST_P(SecretTest, AQuestionForOneHasNoDefault) {
  Event asks = AskSecret(kSecret);
  std::get<InquiryRequest>(asks.body).question.default_value = Json::FromTrusted(R"("hunter2")");
  EXPECT_EQ(CodeOf(Append("a", std::vector{NewTurn(), asks})), "secret refused");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

}  // namespace
}  // namespace turnlog::secret_test
