// Appending: seqs, guards, refusals.
#include "tests/log_conformance/conformance.h"

namespace turnlog::append_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AppendTest : public ConformanceTest {};

TURNLOG_FOR_ALL_ENGINES(AppendTest);

TEST_P(AppendTest, NumbersEachConversationFromOne) {
  EXPECT_THAT(Seqs(Append("a", Say("1"))), ElementsAre(1));
  EXPECT_THAT(Seqs(Append("b", Say("1"))), ElementsAre(1));
  EXPECT_THAT(Seqs(Append("a", {Say("2"), Say("3")})), ElementsAre(2, 3));
  EXPECT_THAT(Seqs(Append("b", Say("2"))), ElementsAre(2));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
  EXPECT_THAT(Lines(*log_, "b"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(AppendTest, ContinuesTheNumbersAfterReopening) {
  Must(Append("a", {Say("1"), Say("2")}));
  Reopen();
  EXPECT_THAT(Seqs(Append("a", Say("3"))), ElementsAre(3));
  ReopenAfterKill();
  EXPECT_THAT(Seqs(Append("a", Say("4"))), ElementsAre(4));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3", "4 0 4"));
}

TEST_P(AppendTest, KeepsAnEventAsItWas) {
  Event event = Say("text \xE2\x82\xAC \x01");
  event.timestamp = Timestamp{-5};
  event.metadata = Must(ParseJson(R"({"a":1.50,"a":2})"));
  event.event_id = "e1";
  Must(Append("a", event));
  Reopen();
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  const Item item = Must(cursor->Next());
  EXPECT_EQ(Own(Must(std::get<Record>(item).Decode())), event);
  EXPECT_EQ(Must(std::get<Record>(item).Time()), event.timestamp);
}

TEST_P(AppendTest, TakesLargeEventsAmongSmallOnes) {
  const std::string large(3 << 20, 'x'), larger(5 << 20, 'y');
  const auto check = [&] {
    EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 " + large, "3 0 2", "4 0 " + larger, "5 0 3"));
  };
  Must(Append("a", {Say("1"), Say(large), Say("2"), Say(larger), Say("3")}));
  check();
  ReopenAfterKill();
  check();
}

TEST_P(AppendTest, TakesExpectedLastSeqIfItIsSo) {
  EXPECT_EQ(CodeOf(Append("a", Say("1"), {.expected_last = Seq{0}})), "fine");
  EXPECT_EQ(CodeOf(Append("a", {Say("2"), Say("3")}, {.expected_last = Seq{1}})), "fine");
  EXPECT_EQ(CodeOf(Append("a", Say("4"), {.expected_last = Seq{3}})), "fine");
}

TEST_P(AppendTest, RefusesAWrongExpectedLastSeqAndReturnsTheActualOne) {
  Must(Append("a", {Say("1"), Say("2")}));
  for (const std::uint64_t wrong : {0U, 1U, 3U}) {
    const auto refused = Append("a", Say("x"), {.expected_last = Seq{wrong}});
    ASSERT_EQ(CodeOf(refused), "conflict") << wrong;
    EXPECT_EQ(refused.error().last_seq, 2U);
  }
  const auto refused = Append("new", Say("x"), {.expected_last = Seq{1}});
  ASSERT_EQ(CodeOf(refused), "conflict");
  EXPECT_EQ(refused.error().last_seq, 0U);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
  EXPECT_EQ(CodeOf(log_->ReadRaw(Id("new"))), "not found");
}

TEST_P(AppendTest, RefusesNoEvents) {
  EXPECT_EQ(CodeOf(Append("a", std::vector<Event>())), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

// It would be a conversation that no list has.
TEST_P(AppendTest, RefusesAnIdThatWasMovedFrom) {
  ConversationId id = Id("a");
  const ConversationId moved = std::move(id);
  EXPECT_NE(CodeOf(log_->Append(id, Say("1"))), "fine");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(Must(log_->Stats()).events, 0U);
}

TEST_P(AppendTest, RefusesTheWholeBatchForOneBadEventAndNamesIt) {
  Must(Append("a", Say("1")));
  const auto refused = Append("a", {Say("2"), Say("\xFF"), Say("3")});
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 2"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  EXPECT_EQ(Must(log_->Stats()).events, 1U);
}

struct BadEvent {
  std::string name;
  Event event;
};

std::vector<BadEvent> BadEvents() {
  const auto make = [](Event::Body body) {
    Event event;
    event.body = std::move(body);
    return event;
  };
  Event bad_metadata = Say("x");
  bad_metadata.metadata = Json::FromTrusted("{");
  return {
      {"InvalidUtf8", Say("\xC0\x80")},
      {"OverlongEventId", Named(std::string(kMaxIdBytes + 1, 'e'), Say("x"))},
      {"EmptyEventId", Named("", Say("x"))},
      {"OverlongToolCallId", make(ToolCallRequest{.id = std::string(kMaxIdBytes + 1, 'i'), .name = "n"})},
      {"OverlongInquiryId", Ask(Opaque(std::string(kMaxIdBytes + 1, 'i')))},
      {"EmptyInquiryId", Ask(Opaque(""))},
      {"MetadataThatIsNotJson", bad_metadata},
      {"ArgumentsThatAreNoObject", make(ToolCallRequest{.id = "i", .name = "n", .arguments = Json::FromTrusted("[]")})},
      {"AnsweredWithoutAnswer", make(InquiryResponse{.outcome = Outcome::kAnswered, .id = Opaque("i")})},
      {"CancelledWithoutReason", make(InquiryResponse{.outcome = Outcome::kCancelled, .id = Opaque("i")})},
      {"PartsThatAreNotTheText", Ask({"call.other.1", InquiryKey{"call", "question", 1}})},
  };
}

TEST_P(AppendTest, RefusedEventsLeaveNoTrace) {
  for (const BadEvent& bad : BadEvents()) {
    SCOPED_TRACE(bad.name);
    EXPECT_EQ(CodeOf(Append("a", bad.event)), "invalid argument");
    EXPECT_EQ(CodeOf(Append("a", {Say("1"), bad.event})), "invalid argument");
    EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
    EXPECT_EQ(Must(log_->Stats()).events, 0U);
    EXPECT_THAT(Must(log_->List("", 10)), IsEmpty());
  }
}

TEST_P(AppendTest, TakesTheLongestIds) {
  const std::string conversation(kMaxConversationIdBytes, 'c');
  Must(Append(conversation, Named(std::string(kMaxIdBytes, 'e'), Ask(Opaque(std::string(kMaxIdBytes, 'i'))))));
  Reopen();
  EXPECT_THAT(Lines(*log_, conversation), ElementsAre("1 0 ask " + std::string(kMaxIdBytes, 'i')));
  EXPECT_THAT(Seqs(Append(conversation, Named(std::string(kMaxIdBytes, 'e'), Say("again")))), ElementsAre(-1));
}

TEST_P(AppendTest, RefusesAnEventBeyondTheSizeLimit) {
  const auto refused = Append("a", Say(std::string(kMaxEventBytes, 'x')));
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_EQ(Must(log_->Stats()).events, 0U);
}

TEST_P(AppendTest, LaterIsReadAtOnceByTheSameHandle) {
  Must(AppendLater("a", Say("1")));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  Must(AppendLater("b", Say("1")));
  EXPECT_THAT(Must(log_->List("", 10)), testing::SizeIs(2));
}

TEST_P(AppendTest, LaterIsWrittenByCloseAtTheLatest) {
  const AppendResult first = Must(AppendLater("a", Say("1")));
  Must(log_->Wait(first.ticket, Durability::kBuffered));
  Must(log_->Wait(first.ticket, Durability::kSync));
  Must(AppendLater("a", Say("2")));
  Reopen();
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(AppendTest, WhatWasSyncedSurvivesAKillAndSoDoesWhatWasAppendedBefore) {
  Must(AppendLater("a", Say("1")));
  Must(Append("b", Say("1"), {.durability = Durability::kSync}));
  const AppendResult later = Must(AppendLater("b", Say("2")));
  Must(log_->Wait(later.ticket, Durability::kSync));
  ReopenAfterKill();
  EXPECT_THAT(Lines(*log_, "b"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(AppendTest, NothingIsWaitedForByTheDefaultTicket) {
  Must(log_->Wait({}, Durability::kBuffered));
  Must(log_->Wait({}, Durability::kSync));
}

TEST_P(AppendTest, LaterObeysTheGuards) {
  EXPECT_EQ(CodeOf(AppendLater("a", Say("1"), {.expected_last = Seq{4}})), "conflict");
  EXPECT_EQ(CodeOf(log_->AppendLater(Id("a"), {})), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_P(AppendTest, RefusesEverythingAfterClose) {
  Must(Append("a", Say("1")));
  const auto tail = Must(log_->Follow({}));
  Must(log_->Close());
  Must(log_->Close());
  EXPECT_EQ(CodeOf(Append("a", Say("2"))), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Wait({}, Durability::kSync)), "needs reopening");
  EXPECT_EQ(CodeOf(log_->ReadRaw(Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log_->List("", 1)), "needs reopening");
  EXPECT_EQ(CodeOf(log_->FindInquiry(Id("a"), {"i", {}})), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Pending({})), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Repairs(Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log_->FindWatermark("sanitize", Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log_->SetWatermark("sanitize", Id("a"), {{1}, ""})), "needs reopening");
  EXPECT_EQ(CodeOf(log_->ListChanged("sanitize", "", 1)), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Follow({})), "needs reopening");
  EXPECT_EQ(CodeOf(log_->End()), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Stats()), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Refresh()), "needs reopening");
  EXPECT_EQ(CodeOf(log_->Checkpoint()), "needs reopening");
  EXPECT_EQ(CodeOf(tail->Next()), "needs reopening");
  EXPECT_EQ(CodeOf(tail->Wait(std::chrono::milliseconds(0))), "needs reopening");
}

}  // namespace
}  // namespace turnlog::append_test
