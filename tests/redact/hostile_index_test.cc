// An index whose numbers are forged: positions and lengths are checked against the log before memory is taken for them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "store/index/index_base.h"
#include "store/index/index_format.h"
#include "store/segments/store_identity.h"
#include "tests/logctl/logctl_test.h"
#include "tests/redact/search.h"
#include "tests/support/memory.h"
#include "tests/support/must.h"

namespace turnlog::hostile_index_test {
namespace {

constexpr std::uint64_t kEvents = 40;  // two whole blocks and an incomplete one
constexpr std::uint32_t kLongest = UINT32_MAX;

class HostileIndexTest : public LogctlTest {
 protected:
  using ChangeRef = std::function<void(FrameRef&)>;

  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer takes more memory than the limit";
    std::string lines = R"({"type":"turn_start"})"
                        "\n";
    for (std::uint64_t i = 1; i < kEvents; ++i)
      lines += R"({"type":"chat_request","content":"some text"})"
               "\n";
    Append("talk", lines);
    ASSERT_EQ(Logctl({"verify"}).exit_code, 0);
    std::filesystem::rename(store(), folder_ / "sound");
  }

  // A copy of the store whose index was changed.
  void Forge(const std::function<void(IndexBase&)>& change) {
    std::filesystem::remove_all(store());
    std::filesystem::copy(folder_ / "sound", store(), std::filesystem::copy_options::recursive);
    const auto base = Must(IndexBase::Open(Must(StorePaths::At(store())).index(), IndexBase::Access::kWrite, {}));
    change(*base);
    base->Close();
  }
  static void Put(IndexBase& base, std::string_view key, std::string_view value) {
    IndexBatch batch;
    batch.Put(key, value);
    Must(base.Apply(batch));
  }
  // Of events in whole blocks, and of those in the conversation's entry.
  void ForgeRefs(const ChangeRef& change) {
    Forge([&](IndexBase& base) {
      auto refs = DecodeOffsetBlock(Must(base.Get(OffsetBlockKey(1, 1))).value());
      ASSERT_TRUE(refs);
      for (FrameRef& ref : *refs) change(ref);
      Put(base, OffsetBlockKey(1, 1), EncodeOffsetBlock(*refs));
      ForgeEntry(base, [&](ConversationEntry& entry) {
        for (FrameRef& ref : entry.last_block) change(ref);
      });
    });
  }
  static void ForgeEntry(IndexBase& base, const std::function<void(ConversationEntry&)>& change) {
    auto entry = DecodeConversation("talk", Must(base.Get(NameKey("talk"))).value());
    ASSERT_TRUE(entry);
    change(*entry);
    Put(base, NameKey("talk"),
        EncodeConversation(entry->state, {entry->last_block, entry->last_turns, entry->last_repairs}));
  }

  // No command takes memory that the log does not need, or ends in any other way than with a message.
  void ExpectRefused() {
    constexpr std::uint64_t kLimitKib = 2 << 20;
    for (const char* command :
         {"ls", "cat talk", "show talk", "state talk", "search text", "tail", "export talk --format jsonl",
          "export talk --format anthropic", "pending", "redact --detect --dry-run", "redact --detect --by x",
          "sanitize --dry-run", "verify", "backup ../backup"}) {
      const std::string ran =
          Shell(fmt::format("cd '{}' && ulimit -v {} && timeout 60 '{}' --store store {} >out 2>err; echo $?",
                            folder_.path().string(), kLimitKib, LogctlProgram(), command));
      EXPECT_TRUE(ran == "0\n" || ran == "1\n" || ran == "3\n")
          << command << ": " << ran << Shell(fmt::format("cat '{}/err'", folder_.path().string()));
      std::filesystem::remove_all(folder_ / "backup");
    }
  }
  void ExpectMended() {
    EXPECT_EQ(Logctl({"reindex"}).exit_code, 0);
    EXPECT_EQ(Lines(Logctl({"cat", "talk"}).out).size(), kEvents);
    EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
  }
};

TEST_F(HostileIndexTest, LengthsThatNoRecordHas) {
  ForgeRefs([](FrameRef& ref) { ref.length_in_words = kLongest; });
  EXPECT_EQ(Logctl({"cat", "talk"}).exit_code, 1);
  ExpectRefused();
  ExpectMended();
}

TEST_F(HostileIndexTest, OneLongRecordAmongOthers) {
  int number = 0;
  ForgeRefs([&](FrameRef& ref) { ref.length_in_words = ++number % 5 == 0 ? kLongest : ref.length_in_words; });
  ExpectRefused();
  ExpectMended();
}

TEST_F(HostileIndexTest, PositionsBeyondTheLog) {
  for (const std::uint64_t position :
       {std::uint64_t{1} << 40, (std::uint64_t{1} << 62), UINT64_MAX - 7, std::uint64_t{0}}) {
    SCOPED_TRACE(position);
    ForgeRefs([&](FrameRef& ref) { ref = {position, kLongest, ref.turn}; });
    ExpectRefused();
    ExpectMended();
  }
}

// Each gap is short enough to be read over, and all of them together are 16 GiB.
TEST_F(HostileIndexTest, NeighboursThatReachFar) {
  std::uint64_t position = 8192;
  ForgeRefs([&](FrameRef& ref) {
    ref = {position, std::uint32_t{1} << 27, ref.turn};
    position = ref.end() + 4096;
  });
  ExpectRefused();
  ExpectMended();
}

TEST_F(HostileIndexTest, MoreEventsThanThereAre) {
  for (const std::uint64_t last : {kEvents + 16, std::uint64_t{1} << 32, std::uint64_t{1} << 60}) {
    SCOPED_TRACE(last);
    Forge([&](IndexBase& base) {
      ForgeEntry(base, [&](ConversationEntry& entry) { entry.state.last_seq = last / 16 * 16 + kEvents % 16; });
    });
    ExpectRefused();
    ExpectMended();
  }
}

TEST_F(HostileIndexTest, MoreTurnsThanThereAre) {
  Forge([&](IndexBase& base) {
    ForgeEntry(base, [&](ConversationEntry& entry) { entry.state.turns = (std::uint64_t{1} << 31) + 1; });
  });
  ExpectRefused();
  ExpectMended();
}

TEST_F(HostileIndexTest, ACheckpointBeyondTheLog) {
  for (const std::uint64_t checkpoint : {std::uint64_t{1} << 20, std::uint64_t{1} << 60, UINT64_MAX - 7}) {
    SCOPED_TRACE(checkpoint);
    Forge([&](IndexBase& base) {
      auto meta = DecodeMeta(Must(base.Get(MetaKey())).value());
      ASSERT_TRUE(meta);
      meta->checkpoint = checkpoint;
      Put(base, MetaKey(), EncodeMeta(*meta));
    });
    ExpectRefused();
    EXPECT_EQ(Logctl({"verify"}).exit_code, 1) << "what is missing of the log would be lost";
    EXPECT_EQ(Lines(Logctl({"cat", "talk"}).out).size(), kEvents);
  }
}

}  // namespace
}  // namespace turnlog::hostile_index_test
