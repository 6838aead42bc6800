// What cannot be brought about for certain through the log: what threads do at once, in one order.
#include "store/index.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace turnlog {
namespace {

using testing::ElementsAre;

class IndexTest : public testing::Test {
 protected:
  IndexTest() : index_(*IndexBase::Open(folder_.path(), IndexBase::Access::kCreate, Environment{}), IndexMeta{}) {}

  // An event at a place of its own.
  bool Replay(std::uint32_t conversation, std::uint64_t seq, EventFacts facts = {.kind = EventKind::kChatRequest}) {
    position_ += 64;
    const Frame frame{.header = {.kind = facts.kind, .conversation = conversation, .seq = seq}, .position = position_};
    return (*index_.ReplayEvent(frame, facts)).has_value();
  }
  EventFacts Facts(EventKind kind, bool answered = false) {
    return {.kind = kind, .inquiry = kInquiry, .answered = answered};
  }
  void Checkpoint() {
    index_.BeginCheckpoint([&] { return LogMark{position_ + 64, {}}; });
    ASSERT_TRUE(index_.WriteCheckpoint());
  }
  std::uint32_t NumberOf(const std::string& name) { return (*index_.Find(name))->number; }

  static constexpr Hash128 kInquiry{1, 2};
  TempDir folder_;
  Index index_;
  std::uint64_t position_ = 0;
};

// Two threads made conversations at once: number 1 was taken first, number 2 was written first.
TEST_F(IndexTest, NumbersAreGivenOnceWhateverOrderTheyStandInTheLog) {
  ASSERT_TRUE(index_.ReplayConversation(2, "second"));
  ASSERT_TRUE(index_.ReplayConversation(1, "first"));
  auto held = *index_.Hold("third");
  index_.Create(held, "third");
  EXPECT_EQ(NumberOf("second"), 2U);
  EXPECT_EQ(NumberOf("first"), 1U);
  EXPECT_EQ(held.fold()->state().number, 3U);
}

TEST_F(IndexTest, ReplayTellsWhatDoesNotFit) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  EXPECT_TRUE(Replay(1, 1));
  EXPECT_FALSE(Replay(1, 1));
  EXPECT_FALSE(Replay(7, 1));
  EXPECT_EQ((*index_.Find("a"))->last_seq, 1U);
}

TEST_F(IndexTest, ReplayTellsHowManyEventsAreMissing) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  EXPECT_TRUE(Replay(1, 1));
  const Frame later{.header = {.conversation = 1, .seq = 40}, .position = 4096};
  EXPECT_EQ(**index_.ReplayEvent(later, {}), 38U);
  Checkpoint();
  const auto refs = *index_.Locate(**index_.Find("a"), 1, 40);
  EXPECT_FALSE(refs.front().missing());
  EXPECT_FALSE(refs.back().missing());
  EXPECT_EQ(std::ranges::count_if(refs, &FrameRef::missing), 38);
}

// A checkpoint takes what it writes out of memory while somebody looks: what is seen twice counts once, and an older
// look does not undo a newer one.
TEST_F(IndexTest, FindingsThatAreSeenTwiceCountOnce) {
  const InquiryRef open{.turn = 1, .request = 5, .response = 0};
  const InquiryRef answered{.turn = 1, .request = 5, .response = 9};
  const InquiryRef stray{.turn = 1, .request = 0, .response = 7};
  std::vector<InquiryRef> refs{answered, stray};
  MergeInquiries(refs, {open, stray});
  EXPECT_THAT(refs, ElementsAre(answered, stray));
  refs = {open};
  MergeInquiries(refs, {answered, stray});
  EXPECT_THAT(refs, ElementsAre(answered, stray));
}

// While a checkpoint is being written, everything is found in what it writes.
TEST_F(IndexTest, AnswersWhileACheckpointIsBeingWritten) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(index_.ReplayConversation(2, "b"));
  for (std::uint64_t seq = 1; seq <= 20; ++seq) ASSERT_TRUE(Replay(1, seq));
  ASSERT_TRUE(Replay(1, 21, {.kind = EventKind::kTurnStart}));
  ASSERT_TRUE(Replay(1, 22, Facts(EventKind::kInquiryRequest)));
  index_.BeginCheckpoint([&] { return LogMark{position_ + 64, {}}; });
  const auto check = [&](const std::vector<InquiryRef>& askings) {
    const ConversationState state = **index_.Find("a");
    EXPECT_THAT(*index_.Names("", 10), ElementsAre("a", "b"));
    EXPECT_THAT(*index_.NamesWithPending(), ElementsAre("a"));
    EXPECT_EQ(*index_.TurnStart(state, 1), 21U);
    EXPECT_EQ(*index_.Inquiries(state, kInquiry), askings);
    const auto refs = *index_.Locate(state, 1, state.last_seq);
    for (std::size_t i = 0; i < refs.size(); ++i) EXPECT_EQ(refs[i].position, 64 * (i + 1));
    EXPECT_EQ(*index_.NameOf(2), "b");
  };
  const auto append = [&](std::uint64_t seq, EventKind kind) {
    const auto held = *index_.Hold("a");
    held.fold()->Apply(seq, {seq * 64, 8}, Facts(kind, true));
  };
  check({{1, 22, 0}});
  append(23, EventKind::kInquiryRequest);
  check({{1, 22, 0}, {1, 23, 0}});
  append(24, EventKind::kInquiryResponse);
  append(25, EventKind::kInquiryResponse);
  append(26, EventKind::kInquiryRequest);
  const std::vector<InquiryRef> all{{1, 22, 25}, {1, 23, 24}, {1, 26, 0}};
  check(all);
  ASSERT_TRUE(index_.WriteCheckpoint());
  check(all);
  Checkpoint();
  check(all);
}

}  // namespace
}  // namespace turnlog
