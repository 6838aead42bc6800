// Appending: seqs, guards, refusals, durability.
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"

namespace turnlog::append_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

using AppendTest = LogTest;

TEST_F(AppendTest, NumbersEachConversationFromOne) {
  EXPECT_THAT(Seqs(Append("a", Say("1"))), ElementsAre(1));
  EXPECT_THAT(Seqs(Append("b", Say("1"))), ElementsAre(1));
  EXPECT_THAT(Seqs(Append("a", {Say("2"), Say("3")})), ElementsAre(2, 3));
  EXPECT_THAT(Seqs(Append("b", Say("2"))), ElementsAre(2));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
  EXPECT_THAT(Lines(*log_, "b"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_F(AppendTest, GoesOnWithTheNumbersAfterReopening) {
  Must(Append("a", {Say("1"), Say("2")}));
  Reopen();
  EXPECT_THAT(Seqs(Append("a", Say("3"))), ElementsAre(3));
  ReopenAfterCrash();
  EXPECT_THAT(Seqs(Append("a", Say("4"))), ElementsAre(4));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3", "4 0 4"));
}

TEST_F(AppendTest, KeepsAnEventAsItWas) {
  Event event = Say("text \xE2\x82\xAC \x01");
  event.timestamp = Timestamp{-5};
  event.metadata = Must(ParseJson(R"({"a":1.50,"a":2})"));
  event.event_id = "e1";
  Must(Append("a", event));
  Reopen();
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  const Item item = Must(cursor->Next());
  EXPECT_EQ(Own(Must(std::get<Record>(item).Decode())), event);
}

TEST_F(AppendTest, TakesExpectedLastSeqIfItIsSo) {
  EXPECT_EQ(CodeOf(Append("a", Say("1"), {.expected_last = Seq{0}})), "fine");
  EXPECT_EQ(CodeOf(Append("a", {Say("2"), Say("3")}, {.expected_last = Seq{1}})), "fine");
  EXPECT_EQ(CodeOf(Append("a", Say("4"), {.expected_last = Seq{3}})), "fine");
}

TEST_F(AppendTest, RefusesWrongExpectedLastSeqAndTellsTheRealOne) {
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

TEST_F(AppendTest, RefusesNoEvents) {
  const auto refused = Append("a", std::vector<Event>());
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_THAT(MessageOf(refused), HasSubstr("at least one event"));
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_F(AppendTest, RefusesTheWholeBatchForOneBadEventAndNamesIt) {
  Must(Append("a", Say("1")));
  const StoreStats before = Must(log_->Stats());
  const auto refused = Append("a", {Say("2"), Say("\xFF"), Say("3")});
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 2 of 3: "));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  EXPECT_EQ(Figure(*log_, "end_offset"), Figure(before, "end_offset"));
}

struct BadEvent {
  std::string name;
  Event event;
};

class RefusedEventTest : public LogTest, public testing::WithParamInterface<BadEvent> {};

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

INSTANTIATE_TEST_SUITE_P(Events, RefusedEventTest, testing::ValuesIn(BadEvents()),
                         [](const auto& bad) { return bad.param.name; });

TEST_P(RefusedEventTest, LeavesNoTrace) {
  EXPECT_EQ(CodeOf(Append("a", GetParam().event)), "invalid argument");
  EXPECT_EQ(CodeOf(Append("a", {Say("1"), GetParam().event})), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
  EXPECT_EQ(Figure(*log_, "end_offset"), 0U);
  EXPECT_THAT(Must(log_->List("", 10)), IsEmpty());
}

TEST_F(AppendTest, TakesTheLongestIds) {
  const std::string conversation(kMaxConversationIdBytes, 'c');
  Must(Append(conversation, Named(std::string(kMaxIdBytes, 'e'), Ask(Opaque(std::string(kMaxIdBytes, 'i'))))));
  Reopen();
  EXPECT_THAT(Lines(*log_, conversation), ElementsAre("1 0 ask " + std::string(kMaxIdBytes, 'i')));
  EXPECT_THAT(Seqs(Append(conversation, Named(std::string(kMaxIdBytes, 'e'), Say("again")))), ElementsAre(-1));
}

TEST_F(AppendTest, RefusesAnEventBeyondTheSizeLimit) {
  const auto refused = Append("a", Say(std::string(kMaxEventBytes, 'x')));
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_EQ(Figure(*log_, "end_offset"), 0U);
}

TEST_F(AppendTest, SyncMakesDurableWhatStandsBeforeIt) {
  const Receipt buffered = Must(Append("a", Say("1")));
  EXPECT_LT(Figure(*log_, "durable_offset"), buffered.ticket.handle);
  EXPECT_GE(Figure(*log_, "end_offset"), buffered.ticket.handle);
  const Receipt synced = Must(Append("b", Say("1"), {.durability = Durability::kSync}));
  EXPECT_GE(Figure(*log_, "durable_offset"), synced.ticket.handle);
}

TEST_F(AppendTest, LaterIsWrittenByWaitingForIt) {
  const std::vector<Event> events{Say("1"), Say("2")};
  const std::vector<EventView> views{View(events[0]), View(events[1])};
  const Receipt first = Must(log_->AppendLater(Id("a"), views));
  EXPECT_THAT(Seqs(first), ElementsAre(1, 2));
  EXPECT_EQ(Figure(*log_, "end_offset"), 0U);
  Must(log_->Wait(first.ticket, Durability::kBuffered));
  EXPECT_EQ(Figure(*log_, "end_offset"), first.ticket.handle);
  EXPECT_LT(Figure(*log_, "durable_offset"), first.ticket.handle);
  Must(log_->Wait(first.ticket, Durability::kSync));
  EXPECT_EQ(Figure(*log_, "durable_offset"), first.ticket.handle);
  Must(log_->Wait(first.ticket, Durability::kSync));
}

TEST_F(AppendTest, LaterIsReadAtOnceByWhoAppended) {
  const Event event = Say("1");
  const EventView view = View(event);
  Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  Must(log_->AppendLater(Id("b"), std::span(&view, 1)));
  EXPECT_THAT(Must(log_->List("", 10)), testing::SizeIs(2));
}

TEST_F(AppendTest, LaterThatNobodyWaitsForIsWrittenByTheNextOrByClose) {
  const Event event = Say("1");
  const EventView view = View(event);
  const Receipt later = Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  Must(Append("b", Say("1")));
  EXPECT_GE(Figure(*log_, "end_offset"), later.ticket.handle);
  Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  Reopen();
  EXPECT_EQ(Must(log_->Info(Id("a"))).last.value, 2U);
}

TEST_F(AppendTest, LaterObeysTheGuards) {
  const Event event = Say("1");
  const EventView view = View(event);
  EXPECT_EQ(CodeOf(log_->AppendLater(Id("a"), std::span(&view, 1), {.expected_last = Seq{4}})), "conflict");
  EXPECT_EQ(CodeOf(log_->AppendLater(Id("a"), {})), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_F(AppendTest, WaitRefusesATicketThatWasNeverGiven) {
  const Receipt receipt = Must(Append("a", Say("1")));
  EXPECT_EQ(CodeOf(log_->Wait({receipt.ticket.handle + 1}, Durability::kBuffered)), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Wait({UINT64_MAX}, Durability::kSync)), "invalid argument");
}

TEST_F(AppendTest, FillsOneSegmentAfterTheOther) {
  std::vector<std::string> expected;
  for (int i = 1; i <= 300; ++i) {
    const std::string text(static_cast<std::size_t>(i) * 7 % 1000, static_cast<char>('a' + i % 26));
    Must(Append("a", Say(text)));
    expected.push_back(std::to_string(i) + " 0 " + text);
  }
  EXPECT_GT(Figure(*log_, "segments"), 5U);
  EXPECT_EQ(Lines(*log_, "a"), expected);
  Reopen();
  EXPECT_EQ(Lines(*log_, "a"), expected);
  ReopenAfterCrash();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(AppendTest, GivesAnEventLargerThanASegmentItsOwn) {
  const std::string large(100'000, 'x');
  Must(Append("a", {Say("1"), Say(large), Say("3")}));
  Must(Append("a", Say(large)));
  Reopen();
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 " + large, "3 0 3", "4 0 " + large));
}

// Frames that end exactly where a segment ends, and up to a few bytes before it, where no seal has room.
TEST_F(AppendTest, MeetsTheEndOfASegmentAtEveryByte) {
  std::vector<std::string> expected;
  std::string text;
  for (std::uint64_t i = 0; i < 40; ++i) {
    text.assign(i * 8, 'x');
    Must(Append("a", Say(text)));
    expected.push_back(std::to_string(expected.size() + 1) + " 0 " + text);
    const std::uint64_t room = (16 << 10) - Figure(*log_, "end_offset") % (16 << 10);
    if (room > 400) {
      text.assign(room - 200 - i * 8, 'y');
      Must(Append("a", Say(text)));
      expected.push_back(std::to_string(expected.size() + 1) + " 0 " + text);
    }
  }
  EXPECT_EQ(Lines(*log_, "a"), expected);
  ReopenAfterCrash();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(AppendTest, RefusesEverythingAfterClose) {
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
