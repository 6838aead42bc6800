// Interleavings of threads that cannot be forced through the log, in one fixed order.
#include <gmock/gmock.h>

#include <future>

#include "tests/store/index_fixture.h"
#include "tests/support/gated_file_system.h"

namespace turnlog::index_test {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesOf(const std::vector<StatePtr>& states) {
  std::vector<std::string> names;
  for (const StatePtr& state : states) names.push_back(state->name);
  return names;
}

ConversationEntry Entry(std::string_view name) {
  return {.state = {.number = 1, .name = std::string(name)}, .last_block = {}, .last_turns = {}};
}

// Two threads created conversations concurrently: number 1 was taken first, number 2 was written first.
TEST_F(IndexTest, NumbersAreUniqueInAnyOrderOfTheLog) {
  ASSERT_TRUE(index_.ReplayConversation(2, "second"));
  ASSERT_TRUE(index_.ReplayConversation(1, "first"));
  auto locked = *index_.LockConversation("third");
  index_.Create(locked, "third");
  EXPECT_EQ(NumberOf("second"), 2U);
  EXPECT_EQ(NumberOf("first"), 1U);
  EXPECT_EQ(locked.projection()->state().number, 3U);
}

// Several have one entry on disk, which each checkpoint adds to.
TEST_F(IndexTest, KnowsTheNameOfEachNumber) {
  const auto name_of = [](std::uint32_t number) { return "conversation " + std::to_string(number); };
  const std::vector<std::uint32_t> numbers{2, 1, 3, 16, 15, 17, 31, 32, 40};
  for (const std::uint32_t number : numbers) {
    ASSERT_TRUE(index_.ReplayConversation(number, name_of(number)));
    EXPECT_EQ(*index_.NameOf(number), name_of(number));
    if (number == 1 || number >= 15) Checkpoint();
  }
  ASSERT_TRUE(Replay(16, 1));  // it had no event at the checkpoint that wrote it first
  Checkpoint();
  for (const std::uint32_t number : numbers) EXPECT_EQ(*index_.NameOf(number), name_of(number));
  for (const std::uint32_t number : {0U, 4U, 33U, 48U}) EXPECT_EQ(*index_.NameOf(number), std::nullopt) << number;
}

TEST_F(IndexTest, ReplayRefusesInconsistentEvents) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  EXPECT_TRUE(Replay(1, 1));
  EXPECT_FALSE(Replay(1, 1));
  EXPECT_FALSE(Replay(7, 1));
  EXPECT_EQ((*index_.Find("a"))->last_seq, 1U);
}

TEST_F(IndexTest, ReplayReturnsHowManyEventsAreMissing) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  EXPECT_TRUE(Replay(1, 1));
  const Frame later{.header = {.conversation = 1, .seq = 40}, .position = 4096};
  EXPECT_EQ(**index_.ReplayEvent(later, {}, 38), 38U);
  Checkpoint();
  const auto refs = *index_.Locate(**index_.Find("a"), 1, 40);
  EXPECT_FALSE(refs.front().missing());
  EXPECT_FALSE(refs.back().missing());
  EXPECT_EQ(std::ranges::count_if(refs, &FrameRef::missing), 38);
}

// A checkpoint removes records from memory during a lookup: records seen twice count once, and an older state does not
// replace a newer one.
TEST_F(IndexTest, RecordsThatAreSeenTwiceCountOnce) {
  const InquiryRef open{.turn = 1, .request = 5, .response = 0};
  const InquiryRef answered{.turn = 1, .request = 5, .response = 9};
  const InquiryRef unmatched{.turn = 1, .request = 0, .response = 7};
  std::vector<InquiryRef> refs{answered, unmatched};
  MergeInquiries(refs, std::vector{open, unmatched});
  EXPECT_THAT(refs, ElementsAre(answered, unmatched));
  refs = {open};
  MergeInquiries(refs, std::vector{answered, unmatched});
  EXPECT_THAT(refs, ElementsAre(answered, unmatched));
  MergeInquiries(refs, {});
  EXPECT_THAT(refs, ElementsAre(answered, unmatched));
}

// An answer may belong to a request before those known here.
TEST_F(IndexTest, RecordsAreInTheOrderOfTheLog) {
  const InquiryRef first{.turn = 1, .request = 5, .response = 9};
  const InquiryRef second{.turn = 1, .request = 7, .response = 8};
  std::vector<InquiryRef> refs{second};
  MergeInquiries(refs, std::vector{first});
  EXPECT_THAT(refs, ElementsAre(first, second));
}

// While a checkpoint is being written, its frozen entries are still found.
TEST_F(IndexTest, AnswersWhileACheckpointIsBeingWritten) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(index_.ReplayConversation(2, "b"));
  for (std::uint64_t seq = 1; seq <= 20; ++seq) ASSERT_TRUE(Replay(1, seq));
  ASSERT_TRUE(Replay(1, 21, {.kind = EventKind::kTurnStart}));
  ASSERT_TRUE(Replay(1, 22, Fields(EventKind::kInquiryRequest)));
  index_.BeginCheckpoint([&] { return LogOffset{position_ + 64, {}}; });
  const auto check = [&](const std::vector<InquiryRef>& expected) {
    const ConversationState state = **index_.Find("a");
    EXPECT_THAT(NamesOf(*index_.Conversations("", 10)), ElementsAre("a", "b"));
    EXPECT_THAT(*index_.NamesWithPending(), ElementsAre("a"));
    EXPECT_EQ(*index_.TurnStart(state, 1), 21U);
    EXPECT_EQ(*index_.Inquiries(state, kInquiry), expected);
    const auto refs = *index_.Locate(state, 1, state.last_seq);
    for (std::size_t i = 0; i < refs.size(); ++i) EXPECT_EQ(refs[i].position, 64 * (i + 1));
    EXPECT_EQ(*index_.NameOf(2), "b");
  };
  const auto append = [&](std::uint64_t seq, EventKind kind) {
    const auto locked = *index_.LockConversation("a");
    locked.projection()->Apply(seq, {seq * 64, 8}, Fields(kind, true));
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

TEST_F(IndexTest, AStateThatWasLookedUpIsForgottenWhenTheConversationGrows) {
  const auto last = [&] { return (*index_.Find("a"))->last_seq; };
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  for (std::uint64_t seq = 1; seq <= 3; ++seq) {
    ASSERT_TRUE(Replay(1, seq));
    EXPECT_EQ(last(), seq);
    Checkpoint();
    EXPECT_EQ(last(), seq);
    EXPECT_EQ(last(), seq) << "as it was kept";
  }
}

// Blocks that are complete, the incomplete one in the conversation's entry, and what is in memory.
TEST_F(IndexTest, LocatesEventsAndTurnsInAllBlocks) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  std::uint64_t last = 0;
  const auto check = [&] {
    const StatePtr state = *index_.Find("a");
    for (std::uint64_t first = 1; first <= last; first += 7) {
      const auto refs = *index_.Locate(*state, first, last - first + 1);
      for (std::size_t i = 0; i < refs.size(); ++i) ASSERT_EQ(refs[i].position, 64 * (first + i)) << first << "+" << i;
    }
    for (std::uint64_t turn = 1; turn <= last; ++turn) ASSERT_EQ(*index_.TurnStart(*state, turn), turn);
  };
  for (const std::uint64_t more : {3U, 13U, 1U, 15U, 17U, 64U}) {
    for (std::uint64_t i = 0; i < more; ++i) ASSERT_TRUE(Replay(1, ++last, {.kind = EventKind::kTurnStart}));
    check();
    Checkpoint();
    check();
  }
}

TEST_F(IndexTest, ListsChangesOfRepairedConversationsAlone) {
  const auto changed = [&] { return NamesOf(*index_.Changed("scavenge", "", 10, Changes::kRepaired)); };
  const auto repair = [&](std::uint32_t conversation, std::uint64_t seq) {
    return Replay(conversation, seq, {.kind = EventKind::kRepair, .repair = SeqRange{{1}, {1}}});
  };
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    ASSERT_TRUE(index_.ReplayConversation(number, std::string(1, static_cast<char>('`' + number))));
    ASSERT_TRUE(Replay(number, 1));
  }
  EXPECT_THAT(changed(), ElementsAre());
  Checkpoint();
  EXPECT_THAT(changed(), ElementsAre());
  ASSERT_TRUE(repair(2, 2));
  EXPECT_THAT(changed(), ElementsAre("b"));
  Checkpoint();
  EXPECT_THAT(changed(), ElementsAre("b"));
  index_.SetWatermark("scavenge", "b", {{2}, ""});
  EXPECT_THAT(changed(), ElementsAre());
  Checkpoint();
  EXPECT_THAT(changed(), ElementsAre());
  ASSERT_TRUE(repair(3, 2));
  ASSERT_TRUE(Replay(1, 2));
  EXPECT_THAT(changed(), ElementsAre("c"));
  Checkpoint();
  EXPECT_THAT(changed(), ElementsAre("c"));
}

// One thread reads a state from the base, another one writes the next checkpoint, and then the first one keeps it.
TEST(EntryCacheTest, KeepsNothingThatWasReadBeforeTheBaseChanged) {
  EntryCache cache;
  const EntryCache::Page page = std::make_shared<const std::vector<ConversationEntry>>(1, Entry("b"));
  const auto entry = std::make_shared<const ConversationEntry>(Entry("a"));
  const auto add = [&](std::uint64_t generation) {
    cache.Add(entry, generation);
    cache.AddPage(page, generation);
  };
  const std::uint64_t before = cache.generation();
  cache.Clear();
  add(before);
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Find("b"), nullptr);
  add(cache.generation());
  EXPECT_EQ(cache.Find("a"), entry);
  EXPECT_EQ(cache.Find("b").get(), &page->front());
  cache.Clear();
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Find("b"), nullptr);
}

TEST(EntryCacheTest, FindsEachEntryOfTheLastTwoPages) {
  EntryCache cache;
  const auto page_of = [](std::initializer_list<std::string_view> names) {
    std::vector<ConversationEntry> entries;
    for (const std::string_view name : names) entries.push_back(Entry(name));
    return std::make_shared<const std::vector<ConversationEntry>>(std::move(entries));
  };
  cache.AddPage(page_of({"a"}), cache.generation());
  cache.AddPage(page_of({"b", "d", "f"}), cache.generation());
  cache.AddPage(page_of({"g"}), cache.generation());
  const auto found = [&cache] {
    std::string names;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
      if (const auto entry = cache.Find(name)) names += entry->state.name;
    }
    return names;
  };
  EXPECT_EQ(found(), "bdfg");
  for (const char* name : {"d", "f", "b", "f", "f", "g", "d", "b"}) EXPECT_EQ(cache.Find(name)->state.name, name);
  cache.Clear();
  EXPECT_EQ(found(), "");
}

TEST(EntryCacheTest, IsBounded) {
  EntryCache cache;
  std::size_t kept = 0;
  const auto name = [](int i) { return "c" + std::to_string(i); };
  for (int i = 0; i < 10'000; ++i) {
    cache.Add(std::make_shared<const ConversationEntry>(Entry(name(i))), cache.generation());
  }
  for (int i = 0; i < 10'000; ++i) kept += cache.Find(name(i)) != nullptr ? 1 : 0;
  EXPECT_GT(kept, 0U);
  EXPECT_LE(kept, 1'024U);
}

// A base whose lookups stop at a gate.
class GatedBase final : public IndexBase {
 public:
  explicit GatedBase(std::unique_ptr<IndexBase> base) : base_(std::move(base)) {}

  mutable Gate gets;
  std::atomic<bool> stops = true;  // whether lookups stop

  Result<std::optional<std::string>> Get(std::string_view key, Expect expect) const override {
    auto value = base_->Get(key, expect);
    if (stops) (void)gets.Pass();
    return value;
  }
  Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                 std::size_t limit) const override {
    return base_->Range(from, prefix, limit);
  }
  Status ReplaceBy(IndexBase& rebuilt, const std::filesystem::path& aside) override {
    return base_->ReplaceBy(rebuilt, aside);
  }
  Status Apply(const IndexBatch& batch) override { return base_->Apply(batch); }
  Status VerifyChecksums() const override { return base_->VerifyChecksums(); }
  std::uint64_t BytesOnDisk() const override { return base_->BytesOnDisk(); }
  Result<std::unique_ptr<IndexWalk>> Walk(std::string_view from, std::string_view to) const override {
    return base_->Walk(from, to);
  }
  void Close() override { base_->Close(); }

 private:
  std::unique_ptr<IndexBase> base_;
};

class SlowDiskTest : public testing::Test {
 protected:
  // Conversations "0" to "99" with one event each, on disk only.
  SlowDiskTest() {
    for (std::uint32_t i = 0; i < 100; ++i) {
      (void)index_.ReplayConversation(i + 1, std::to_string(i));
      Append(std::to_string(i), 1);
    }
    Checkpoint();
  }
  ~SlowDiskTest() override { base_->gets.Open(); }

  void Append(const std::string& name, std::uint64_t seq) {
    (*index_.LockConversation(name)).projection()->Apply(seq, {seq * 64, 8}, {.kind = EventKind::kChatRequest});
  }
  void Checkpoint() {
    index_.BeginCheckpoint([] { return LogOffset{}; });
    ASSERT_TRUE(index_.WriteCheckpoint());
  }

  TempDir folder_;
  GatedBase* base_ = new GatedBase(*IndexBase::Open(folder_.path(), IndexBase::Access::kCreate, Environment{}));
  Index index_{std::unique_ptr<IndexBase>(base_), IndexMeta{}};
};

// More conversations than shards, so that some share a shard with it.
TEST_F(SlowDiskTest, NoThreadWaitsWhileAConversationIsLoaded) {
  for (int i = 1; i < 100; ++i) ASSERT_TRUE(index_.LockConversation(std::to_string(i)));
  base_->gets.Close();
  auto locked =
      std::async(std::launch::async, [&] { return (*index_.LockConversation("0")).projection()->state().last_seq; });
  base_->gets.AwaitStopped(1);
  for (int i = 1; i < 100; ++i) EXPECT_TRUE(index_.LockConversation(std::to_string(i)));
  base_->gets.Open();
  EXPECT_EQ(locked.get(), 1U);
}

TEST_F(SlowDiskTest, NoThreadWaitsWhileAnEventIdIsLookedUp) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(index_.LockConversation(std::to_string(i)));
  base_->gets.Close();
  const Hash128 id{1, 2};
  auto found = std::async(std::launch::async, [&] {
    const auto locked = *index_.LockConversation("0", {&id, 1});
    return index_.FindEventId(locked, id).has_value();
  });
  base_->gets.AwaitStopped(1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(index_.LockConversation(std::to_string(i)));
  base_->gets.Open();
  EXPECT_FALSE(found.get());
}

// Since it was read, it has grown, and a checkpoint has written it and dropped it from memory.
TEST_F(SlowDiskTest, WhatWasReadBeforeACheckpointIsReadAgain) {
  base_->gets.Close();
  auto locked =
      std::async(std::launch::async, [&] { return (*index_.LockConversation("0")).projection()->state().last_seq; });
  base_->gets.AwaitStopped(1);
  base_->stops = false;
  Append("0", 2);
  Checkpoint();
  base_->gets.Open();
  EXPECT_EQ(locked.get(), 2U);
}

// Watermarks set while a checkpoint is being written belong to the next one.
TEST_F(IndexTest, WatermarksOfTheNextCheckpointWait) {
  const auto append = [&](std::uint64_t seq) {
    (*index_.LockConversation("a")).projection()->Apply(seq, {seq * 64, 8}, {});
  };
  const auto head = [&] { return (*index_.FindWatermark("sanitize", **index_.Find("a")))->head.value; };
  const auto changed = [&] { return NamesOf(*index_.Changed("sanitize", "", 10)); };
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  append(1);
  index_.SetWatermark("sanitize", "a", {{1}, "one"});
  EXPECT_THAT(changed(), testing::IsEmpty());
  index_.BeginCheckpoint([&] { return LogOffset{64, {}}; });
  EXPECT_EQ(index_.watermark_bytes(), 0U);
  EXPECT_EQ(head(), 1U);
  append(2);
  EXPECT_THAT(changed(), ElementsAre("a"));
  index_.SetWatermark("sanitize", "a", {{2}, "two"});
  EXPECT_EQ(head(), 2U);
  EXPECT_THAT(changed(), testing::IsEmpty());
  ASSERT_TRUE(index_.WriteCheckpoint());
  EXPECT_EQ(head(), 2U);
  EXPECT_THAT(changed(), testing::IsEmpty());
  EXPECT_EQ(DecodeWatermark(**index_.base().Get(WatermarkKey(1, "sanitize"))), (Watermark{{1}, "one"}));
  EXPECT_FALSE(*index_.base().Get(ChangedKey("sanitize", "a")));
  append(3);
  Checkpoint();
  EXPECT_EQ(DecodeWatermark(**index_.base().Get(WatermarkKey(1, "sanitize"))), (Watermark{{2}, "two"}));
  EXPECT_TRUE(*index_.base().Get(ChangedKey("sanitize", "a")));
  EXPECT_THAT(changed(), ElementsAre("a"));
}

// A checkpoint writes only new data, and nothing of conversations that were only read.
TEST_F(IndexTest, CheckpointsWriteWhatIsNew) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(Replay(1, 1));
  Checkpoint();
  index_.SetWatermark("sanitize", "a", {{1}, ""});
  Checkpoint();
  ASSERT_TRUE(index_.LockConversation("a"));
  Checkpoint();
  EXPECT_FALSE(*index_.base().Get(ChangedKey("sanitize", "a")));
}

// Pending entries are updated incrementally.
TEST_F(IndexTest, KnowsOnDiskWhoHasOpenInquiries) {
  const auto pending = [&] { return (*index_.base().Get(PendingKey(1))).has_value(); };
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(Replay(1, 1));
  Checkpoint();
  EXPECT_FALSE(pending());
  ASSERT_TRUE(Replay(1, 2, Fields(EventKind::kInquiryRequest)));
  Checkpoint();
  EXPECT_TRUE(pending());
  ASSERT_TRUE(Replay(1, 3));
  Checkpoint();
  EXPECT_TRUE(pending());
  ASSERT_TRUE(Replay(1, 4, Fields(EventKind::kInquiryResponse)));
  index_.BeginCheckpoint([&] { return LogOffset{position_ + 64, {}}; });
  (*index_.LockConversation("a")).projection()->Apply(5, {position_ + 64, 8}, Fields(EventKind::kInquiryRequest));
  ASSERT_TRUE(index_.WriteCheckpoint());
  EXPECT_FALSE(pending());
  Checkpoint();
  EXPECT_TRUE(pending());
}

// The parts of an attempt are written by several checkpoints and read as one.
TEST_F(IndexTest, InquiriesJoinOverCheckpoints) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(Replay(1, 1, Fields(EventKind::kInquiryRequest)));
  Checkpoint();
  ASSERT_TRUE(Replay(1, 2, Fields(EventKind::kInquiryRequest)));
  Checkpoint();
  ASSERT_TRUE(Replay(1, 3, Fields(EventKind::kInquiryResponse)));
  Checkpoint();
  ASSERT_TRUE(Replay(1, 4, Fields(EventKind::kInquiryResponse)));
  const std::vector<InquiryRef> expected{{0, 1, 4}, {0, 2, 3}};
  EXPECT_EQ(*index_.Inquiries(**index_.Find("a"), kInquiry), expected);
  Checkpoint();
  EXPECT_EQ(*index_.Inquiries(**index_.Find("a"), kInquiry), expected);
}

}  // namespace
}  // namespace turnlog::index_test
