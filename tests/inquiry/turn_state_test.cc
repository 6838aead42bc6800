#include "turnlog/turn_state.h"

#include "tests/inquiry/inquiry_fixture.h"

namespace turnlog::turn_state_test {
namespace {

class TurnStateTest : public InquiryTest {
 protected:
  void Apply(Event::Body body) {
    const Event event{.body = std::move(body)};
    state_.Apply({++seq_}, View(event));
    events_.push_back(event);
  }
  void Ask(const InquiryId& id) { Apply(InquiryRequest{id, {}, Boolean(), {}}); }
  void Close(const InquiryId& id, std::string_view reason) {
    Apply(InquiryResponse{Outcome::kCancelled, id, {}, std::string(reason), {}});
  }
  void Answer(const InquiryId& id) { Apply(InquiryResponse{Outcome::kAnswered, id, J("true"), {}, {}}); }
  std::string Now() const { return Doing(state_); }

  TurnState state_;
  std::vector<Event> events_;
  std::uint64_t seq_ = 0;
};

TEST_F(TurnStateTest, NothingHappenedIsIdle) { EXPECT_EQ(Now(), "idle calls:  questions: "); }

TEST_F(TurnStateTest, FollowsATurnFromTheRequestToTheLastWord) {
  Apply(TurnStart{});
  EXPECT_EQ(Now(), "idle calls:  questions: ");
  Apply(ChatRequest{"go", {}, {}});
  EXPECT_EQ(Now(), "calling_model calls:  questions: ");
  Apply(Call("a"));
  Apply(Call("b"));
  EXPECT_EQ(Now(), "running_tools calls: a,b questions: ");
  Ask(Keyed("a", "q", 1));
  EXPECT_EQ(Now(), "awaiting_user calls: a,b questions: a.q.1");
  Apply(ToolCallResponse{"b", "done", false, {}});
  EXPECT_EQ(Now(), "awaiting_user calls: a questions: a.q.1");
  Answer(Keyed("a", "q", 1));
  EXPECT_EQ(Now(), "running_tools calls: a questions: ");
  Apply(ToolCallResponse{"a", "done", false, {}});
  EXPECT_EQ(Now(), "calling_model calls:  questions: ");
  Apply(ChatResponse{ChatPart::kMessage, "bye"});
  EXPECT_EQ(Now(), "idle calls:  questions: ");
  EXPECT_EQ(state_.last(), Seq{9});
}

TEST_F(TurnStateTest, BehindItsReasoningTheModelIsStillToSpeak) {
  Apply(TurnStart{});
  Apply(ChatRequest{"go", {}, {}});
  Apply(ChatResponse{ChatPart::kReasoning, "hm"});
  EXPECT_EQ(Now(), "calling_model calls:  questions: ");
  Apply(ChatResponse{ChatPart::kData, "{}"});
  EXPECT_EQ(Now(), "idle calls:  questions: ");
}

TEST_F(TurnStateTest, EndingTheTurnLeavesNothingToBeSaidOnceItsCallsHaveResults) {
  Apply(TurnStart{});
  Apply(ChatRequest{"go", {}, {}});
  Apply(Call("a"));
  Ask(Keyed("a", "q", 1));
  Close(Keyed("a", "q", 1), "end_turn");
  EXPECT_EQ(Now(), "running_tools calls: a questions: ");
  Apply(ToolCallResponse{"a", "{}", false, {}});
  EXPECT_EQ(Now(), "idle calls:  questions: ");
  Apply(ChatRequest{"and now this", {}, {}});
  EXPECT_EQ(Now(), "calling_model calls:  questions: ");
}

TEST_F(TurnStateTest, ANewTurnForgetsWhatTheLastOneLeftOpen) {
  Apply(TurnStart{});
  Apply(Call("a"));
  Ask(Keyed("a", "q", 1));
  Apply(TurnStart{});
  EXPECT_EQ(Now(), "idle calls:  questions: ");
  Answer(Keyed("a", "q", 1));
  EXPECT_EQ(Now(), "idle calls:  questions: ");
}

TEST_F(TurnStateTest, EventsThatBelongToNoTurnChangeOnlyTheLastSeq) {
  Apply(ChatRequest{"go", {}, {}});
  Apply(Verbatim{EventKind::kUnknown, "note", J(R"({"type":"note"})")});
  EXPECT_EQ(Now(), "calling_model calls:  questions: ");
  EXPECT_EQ(state_.last(), Seq{2});
}

TEST_F(TurnStateTest, EqualIdsCloseTheNearestEarlierOne) {
  Apply(Call("a", "first"));
  Apply(Call("a", "second"));
  EXPECT_EQ(state_.FindCall("a")->request.name, "second");
  Apply(ToolCallResponse{"a", "", false, {}});
  EXPECT_EQ(state_.FindCall("a")->request.name, "first");
  Ask(Opaque("a.q"));
  Ask(Opaque("a.q"));
  Answer(Opaque("a.q"));
  EXPECT_EQ(state_.FindQuestion("a.q")->asked, Seq{4});
}

TEST_F(TurnStateTest, AnOpenCallKeepsItsInquiriesAndWhatBecameOfThem) {
  Apply(Call("a"));
  Ask(Keyed("a", "q", 1));
  Answer(Keyed("a", "q", 1));
  Ask(Keyed("a", "q", 2));
  Ask(Opaque("legacy"));
  const auto inquiries = state_.InquiriesOf(*state_.FindCall("a"));
  ASSERT_EQ(inquiries.size(), 2U);
  EXPECT_EQ(inquiries[0]->response->answer, J("true"));
  EXPECT_FALSE(inquiries[1]->response);
}

TEST_F(TurnStateTest, AnInquiryOutlivesTheCallThatAskedIt) {
  Apply(Call("a"));
  Ask(Keyed("a", "q", 1));
  Apply(ToolCallResponse{"a", "", false, {}});
  EXPECT_EQ(Now(), "awaiting_user calls:  questions: a.q.1");
  Apply(Call("a"));
  EXPECT_THAT(state_.InquiriesOf(*state_.FindCall("a")), testing::IsEmpty());
  Answer(Keyed("a", "q", 1));
  EXPECT_EQ(Now(), "running_tools calls: a questions: ");
}

TEST_F(TurnStateTest, IsReadFromTheLastTurnAlone) {
  Apply(TurnStart{});
  Apply(Call("old"));
  Apply(TurnStart{});
  Apply(ChatRequest{"go", {}, {}});
  Apply(Call("a"));
  Ask(Keyed("a", "q", 1));
  Must(Append("c", events_));
  EXPECT_EQ(Must(LoadTurnState(*log_, c_)), state_);
  Reopen();
  EXPECT_EQ(Must(LoadTurnState(*log_, c_)), state_);
}

TEST_F(TurnStateTest, ErasedEventsAreAsIfTheyHadNotBeenButForTheTurnsThatTheyBegin) {
  Must(Append("c", std::vector<Event>{{.body = TurnStart{}},
                                      {.body = Call("old")},
                                      {.body = TurnStart{}},
                                      {.body = Call("a")},
                                      {.body = Call("b")}}));
  Must(log_->Erase(c_, std::vector<Seq>{{3}, {5}}));
  EXPECT_EQ(Doing(), "running_tools calls: a questions: ");
  EXPECT_EQ(Must(LoadTurnState(*log_, c_)).last(), Seq{4});
  const auto turn = Resume();
  Must(turn->FinishTool("a", {"done", false, {}}));
  turn->Suspend();
}

TEST_F(TurnStateTest, OfAConversationThatIsNotThereIsNotFound) {
  EXPECT_EQ(CodeOf(LoadTurnState(*log_, Id("nowhere"))), "not found");
}

}  // namespace
}  // namespace turnlog::turn_state_test
