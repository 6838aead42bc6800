#include "store/index/index_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "base/coding.h"

namespace turnlog::index_format_test {
namespace {

using testing::ElementsAreArray;

constexpr std::uint64_t kLarge = 0x7FFF'FFFF'FFFF'FFF8;

ConversationState SomeState() {
  ConversationState state{.number = 7, .name = "a name", .last_seq = 300, .turns = 4, .bytes = kLarge};
  state.first_time = Timestamp{-5};
  state.last_time = Timestamp{1'700'000'000'000'000'000};
  state.open.Open("first", 280, false);
  state.open.Open("second", 290, true);
  state.open.Open("third", 295, true);
  state.open.Close("third");
  state.repairs = 3;
  return state;
}

const std::vector<FrameRef> kLastBlock(300 % kBlockLength, FrameRef{4096, 5, 4});
const std::vector<std::uint64_t> kLastTurns{1, 20, 270, 280};
const std::vector<RepairRange> kLastRepairs{{{7}, {1}, {3}}, {{8}, {1}, {2}}, {{kLarge}, {5}, {6}}};

std::string EncodedState() { return EncodeConversation(SomeState(), {kLastBlock, kLastTurns, kLastRepairs}); }

IndexMeta SomeMeta() {
  return {.store_high = UINT64_MAX,
          .store_low = 1,
          .checkpoint = kLarge,
          .tail = {kLarge - 64, UINT64_MAX},
          .next_conversation = UINT32_MAX,
          .totals = {1, 2, 3, 4}};
}

// Every value that is one entry: all of it, nothing less, nothing more.
TEST(IndexFormatTest, EntriesAreTakenWhole) {
  const std::string meta = EncodeMeta(SomeMeta());
  const std::string state = EncodedState();
  const std::string number = EncodeNumber(kLarge);
  ASSERT_TRUE(DecodeMeta(meta));
  ASSERT_TRUE(DecodeConversation("a name", state));
  ASSERT_TRUE(DecodeNumber(number));
  for (std::size_t length = 0; length < meta.size(); ++length) EXPECT_FALSE(DecodeMeta(meta.substr(0, length)));
  for (std::size_t length = 0; length < state.size(); ++length)
    EXPECT_FALSE(DecodeConversation("a name", state.substr(0, length)));
  for (std::size_t length = 0; length < number.size(); ++length) EXPECT_FALSE(DecodeNumber(number.substr(0, length)));
  EXPECT_FALSE(DecodeMeta(meta + '\0'));
  EXPECT_FALSE(DecodeConversation("a name", state + '\0'));
  EXPECT_FALSE(DecodeNumber(number + '\0'));
}

TEST(IndexFormatTest, Meta) {
  const IndexMeta meta = SomeMeta();
  const auto read = DecodeMeta(EncodeMeta(meta));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->store_high, meta.store_high);
  EXPECT_EQ(read->store_low, meta.store_low);
  EXPECT_EQ(read->checkpoint, meta.checkpoint);
  EXPECT_EQ(read->tail, meta.tail);
  EXPECT_EQ(read->next_conversation, meta.next_conversation);
  EXPECT_EQ(read->totals, meta.totals);
}

TEST(IndexFormatTest, AnotherVersionIsNotRead) {
  std::string bytes = EncodeMeta(SomeMeta());
  ASSERT_EQ(bytes.front(), static_cast<char>(kIndexVersion));
  bytes.front() = static_cast<char>(kIndexVersion + 1);
  EXPECT_FALSE(DecodeMeta(bytes));
}

TEST(IndexFormatTest, Conversation) {
  const ConversationState state = SomeState();
  const auto entry = DecodeConversation("a name", EncodedState());
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->last_block, ElementsAreArray(kLastBlock));
  EXPECT_EQ(entry->last_turns, kLastTurns);
  EXPECT_EQ(entry->last_repairs, kLastRepairs);
  const ConversationState* read = &entry->state;
  EXPECT_EQ(read->number, 7U);
  EXPECT_EQ(read->name, state.name);
  EXPECT_EQ(read->last_seq, state.last_seq);
  EXPECT_EQ(read->turns, state.turns);
  EXPECT_EQ(read->bytes, state.bytes);
  EXPECT_EQ(read->first_time, state.first_time);
  EXPECT_EQ(read->last_time, state.last_time);
  EXPECT_THAT(std::vector(read->open.all().begin(), read->open.all().end()),
              ElementsAreArray(std::vector(state.open.all().begin(), state.open.all().end())));
  EXPECT_EQ(read->open.secrets(), state.open.secrets());
  EXPECT_EQ(read->open.SecretOf("third"), 295U);
  EXPECT_EQ(read->repairs, 3U);
}

TEST(IndexFormatTest, ConversationWithoutTimesOpenInquiriesAndIncompleteBlocks) {
  const auto read = DecodeConversation("n", EncodeConversation({.number = 1, .name = "n", .last_seq = 32}, {}));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->state.first_time);
  EXPECT_FALSE(read->state.last_time);
  EXPECT_TRUE(read->state.open.empty());
  EXPECT_TRUE(read->last_block.empty());
  EXPECT_TRUE(read->last_turns.empty());
  EXPECT_TRUE(read->last_repairs.empty());
}

// What they continue is known from the numbers of events and turns.
TEST(IndexFormatTest, IncompleteBlocksOfAnotherLengthAreRefused) {
  const std::span block(kLastBlock);
  const std::span turns(kLastTurns);
  const std::span repairs(kLastRepairs);
  const auto is_taken = [](const IncompleteBlocks& blocks) {
    return DecodeConversation("n", EncodeConversation(SomeState(), blocks)).has_value();
  };
  EXPECT_TRUE(is_taken({block, turns, repairs}));
  EXPECT_FALSE(is_taken({{}, turns, repairs}));
  EXPECT_FALSE(is_taken({block.first(block.size() - 1), turns, repairs}));
  EXPECT_FALSE(is_taken({block, turns.first(3), repairs}));
  EXPECT_FALSE(is_taken({block, turns, repairs.first(2)}));
}

TEST(IndexFormatTest, OpenInquiriesThatAreNotInOrderAreRefused) {
  const auto with_seqs = [](std::uint64_t first, std::uint64_t second) {
    std::string bytes = EncodeConversation({.number = 1, .name = "n", .last_seq = 16}, {});
    bytes.resize(bytes.size() - 5);  // no secrets, no repairs, an empty block, no turns
    bytes.back() = 2;
    for (const std::uint64_t seq : {first, second}) {
      AppendText(bytes, "id");
      AppendVarint(bytes, seq);
      AppendVarint(bytes, 0);
    }
    bytes.append(2, '\0').append({1, 0, 0});
    return DecodeConversation("n", bytes).has_value();
  };
  EXPECT_TRUE(with_seqs(1, 2));
  EXPECT_FALSE(with_seqs(2, 2));
  EXPECT_FALSE(with_seqs(3, 2));
  EXPECT_FALSE(with_seqs(0, 2));
}

TEST(IndexFormatTest, OffsetBlocks) {
  const std::vector<FrameRef> refs{{4096, 5, 7}, {4136, 1'000, 7},   {1 << 30, 1, 8}, {0, 0, 8},
                                   {0, 0, 9},    {8, UINT32_MAX, 9}, {0, 0, 9},       {kLarge, 4, 10}};
  const auto read = DecodeOffsetBlock(EncodeOffsetBlock(refs));
  ASSERT_TRUE(read);
  EXPECT_THAT(*read, ElementsAreArray(refs));
  EXPECT_EQ((*DecodeOffsetBlock(EncodeOffsetBlock(std::vector<FrameRef>{{8, 1, UINT32_MAX}})))[0].turn, UINT32_MAX);
  EXPECT_FALSE(DecodeOffsetBlock(""));
}

TEST(IndexFormatTest, Turns) {
  const std::vector<std::uint64_t> starts{1, 2, 300, kLarge};
  EXPECT_EQ(DecodeTurns(EncodeTurns(starts)), starts);
  const std::vector<std::uint64_t> later{kLarge, kLarge + 1};
  EXPECT_EQ(DecodeTurns(EncodeTurns(later)), later);
  EXPECT_FALSE(DecodeTurns(EncodeTurns(std::vector<std::uint64_t>{3, 3})));
  std::vector<std::uint64_t> many(kBlockLength + 1);
  std::iota(many.begin(), many.end(), 1);
  EXPECT_FALSE(DecodeTurns(EncodeTurns(many)));
  many.pop_back();
  EXPECT_EQ(DecodeTurns(EncodeTurns(many)), many);
}

TEST(IndexFormatTest, Repairs) {
  const std::vector<RepairRange> repairs{{{4}, {1}, {3}}, {{300}, {5}, {kLarge}}, {{kLarge}, {0}, {0}}};
  const std::string bytes = EncodeRepairs(repairs);
  EXPECT_EQ(DecodeRepairs(bytes), repairs);
  EXPECT_EQ(DecodeRepairs(""), std::vector<RepairRange>());
  EXPECT_FALSE(DecodeRepairs(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(DecodeRepairs(bytes + '\0'));
  EXPECT_FALSE(DecodeRepairs(EncodeRepairs(std::vector<RepairRange>{{{3}, {1}, {2}}, {{3}, {1}, {2}}})));
  std::vector<RepairRange> many;
  for (std::uint64_t seq = 1; seq <= kBlockLength + 1; ++seq) many.push_back({{seq}, {1}, {2}});
  EXPECT_FALSE(DecodeRepairs(EncodeRepairs(many)));
  many.pop_back();
  EXPECT_EQ(DecodeRepairs(EncodeRepairs(many)), many);
}

TEST(IndexFormatTest, Watermarks) {
  using namespace std::string_literals;
  for (const Watermark& watermark : {Watermark{{kLarge}, "state \0 of any bytes \xff"s}, Watermark{{0}, ""}}) {
    const std::string value = EncodeWatermark(watermark);
    EXPECT_EQ(DecodeWatermark(value), watermark);
    for (std::size_t length = 0; length < value.size(); ++length) {
      EXPECT_FALSE(DecodeWatermark(value.substr(0, length)));
    }
    EXPECT_FALSE(DecodeWatermark(value + '\0'));
  }
}

TEST(IndexFormatTest, NeighboursInABlockTakeTwoOrThreeBytes) {
  std::vector<FrameRef> refs;
  for (std::uint64_t i = 0; i < kBlockLength; ++i) refs.push_back({(1ULL << 40) + i * 280, 35, 4});
  EXPECT_LE(EncodeOffsetBlock(refs).size(), kBlockLength * 2 + 8);
}

TEST(IndexFormatTest, ABlockIsNoLongerThanABlock) {
  EXPECT_TRUE(DecodeOffsetBlock(EncodeOffsetBlock(std::vector<FrameRef>(kBlockLength))));
  EXPECT_FALSE(DecodeOffsetBlock(EncodeOffsetBlock(std::vector<FrameRef>(kBlockLength + 1))));
  EXPECT_FALSE(DecodeOffsetBlock(std::string(10'000, '\0')));
}

TEST(IndexFormatTest, Inquiries) {
  const std::vector<InquiryRef> refs{{1, 2, 3}, {4, 5, 0}, {6, 0, 7}, {kLarge, kLarge - 1, kLarge}};
  const auto read = DecodeInquiries(EncodeInquiries(refs));
  ASSERT_TRUE(read);
  EXPECT_THAT(*read, ElementsAreArray(refs));
  const std::vector<InquiryRef> later{{4, 5, 9}, {8, 10, 0}};
  const std::vector<InquiryRef> both{{1, 2, 3}, {4, 5, 9}, {6, 0, 7}, {8, 10, 0}, {kLarge, kLarge - 1, kLarge}};
  EXPECT_THAT(*DecodeInquiries(EncodeInquiries(refs) + EncodeInquiries(later)), ElementsAreArray(both));
  EXPECT_FALSE(DecodeInquiries(EncodeInquiries(refs).substr(1)));
}

TEST(IndexFormatTest, NamesOfABlockComeInAnyOrderAndMoreThanOnce) {
  const std::string bytes = EncodeName(33, "second") + EncodeName(32, "first") + EncodeName(33, "second");
  EXPECT_EQ(NamesKey(32), NamesKey(47));
  EXPECT_NE(NamesKey(32), NamesKey(48));
  const auto names = DecodeNames(bytes);
  ASSERT_TRUE(names);
  EXPECT_EQ((*names)[PlaceInNameBlock(32)], "first");
  EXPECT_EQ((*names)[PlaceInNameBlock(33)], "second");
  EXPECT_EQ((*names)[PlaceInNameBlock(34)], "");
  EXPECT_EQ(names, DecodeNames(EncodeName(32, "first") + EncodeName(33, "second")));
  for (std::size_t length = 1; length < EncodeName(33, "second").size(); ++length) {
    EXPECT_FALSE(DecodeNames(bytes.substr(0, length)));
  }
}

TEST(IndexFormatTest, NamesThatCannotBeAreRefused) {
  EXPECT_FALSE(DecodeNames(EncodeName(32, "one") + EncodeName(32, "another")));
  std::string outside = EncodeName(47, "last");
  outside.front() = 16;
  EXPECT_FALSE(DecodeNames(outside));
}

TEST(IndexFormatTest, TwoInquiriesThatBeginWithTheSameEventAreRefused) {
  EXPECT_FALSE(DecodeInquiries(EncodeInquiries({{1, 4, 6}, {2, 4, 7}})));  // one request in two turns
  EXPECT_FALSE(DecodeInquiries(EncodeInquiries({{1, 4, 0}, {1, 0, 4}})));  // a request and a response
  EXPECT_TRUE(DecodeInquiries(EncodeInquiries({{1, 4, 0}, {1, 4, 6}})));   // the same, answered later
}

TEST(IndexFormatTest, GarbageIsRefusedOrReadButNeverWorse) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 4);
    (void)DecodeMeta(bytes);
    (void)DecodeNumber(bytes);
    (void)DecodeOffsetBlock(bytes);
    (void)DecodeInquiries(bytes);
    (void)DecodeTurns(bytes);
    (void)DecodeNames(bytes);
    (void)DecodeRepairs(bytes);
    (void)DecodeWatermark(bytes);
    (void)NumberOfKey(bytes);
    if (auto entry = DecodeConversation("n", bytes)) {  // must be usable
      OpenInquiries& open = entry->state.open;
      while (!open.empty()) ASSERT_TRUE(open.Close(std::string((*open.all().begin()).id)));
    }
  }
}

TEST(IndexFormatTest, KeysSortAsTheyCount) {
  std::string last;
  for (const std::uint32_t number : {1U, 255U, 256U, 65'536U}) {
    for (const std::uint64_t run : {0ULL, 1ULL, 255ULL, 256ULL, 1ULL << 32}) {
      const std::string key = OffsetBlockKey(number, run);
      EXPECT_LT(last, key);
      EXPECT_TRUE(key.starts_with(SpacePrefix(KeySpace::kOffsets)));
      last = key;
    }
  }
  EXPECT_LT(TurnKey(1, 255), TurnKey(1, 256));
  EXPECT_EQ(NumberOfKey(PendingKey(0x01020304)), 0x01020304U);
  EXPECT_EQ(NumberOfKey(PendingKey(65'536)), 65'536U);
  EXPECT_EQ(NumberOfKey("x"), 0U);
}

TEST(IndexFormatTest, NoTwoKeysAreTheSame) {
  const Hash128 id{1, 2};
  const std::vector<std::string> keys{MetaKey(),
                                      NameKey("\x01"),
                                      NamesKey(1),
                                      OffsetBlockKey(1, 1),
                                      TurnKey(1, 1),
                                      InquiryKeyOf(1, id),
                                      EventIdKey(1, id),
                                      PendingKey(1),
                                      RepairsKey(1, 1),
                                      WatermarkKey(1, "c"),
                                      ChangedKey("c", "\x01"),
                                      ConsumerKey("c")};
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
}

}  // namespace
}  // namespace turnlog::index_format_test
