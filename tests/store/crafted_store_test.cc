// Stores with valid checksums over impossible numbers: reported as damage, without allocating memory for them.
#include <gtest/gtest.h>

#include "base/coding.h"
#include "schema/event/codec.h"
#include "store/engine/event_log.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::crafted_store_test {
namespace {

class CraftedStoreTest : public testing::Test {
 protected:
  CraftedStoreTest() {
    const auto log = EventLog::Open(store_, {}, Environment{});
    EXPECT_TRUE((*log)->Append(*ConversationId::Parse("c"), Event{}, {}));
    EXPECT_TRUE((*log)->Close());
  }
  // Appends a frame to a closed store.
  void Put(const FrameHeader& header, std::string_view payload) {
    const std::filesystem::path segment = store_ / "log" / SegmentName(0);
    const std::uint64_t end = std::filesystem::file_size(segment);
    std::string bytes;
    FrameCodec(ReadIdentity(PosixFileSystem(), {store_})->salt()).Append(header, payload, Hash64(payload), end, bytes);
    const auto file = PosixFileSystem().Open(segment, FileSystem::Access::kWrite);
    ASSERT_TRUE((*file)->WriteAt(end, bytes));
  }
  std::string Payload() {
    const Event event;
    return std::string(encoder_.Encode(View(event)));
  }
  void ExpectDamage(std::uint64_t last) {
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->damage_count, 1U);
    const auto reader = EventLog::Open(store_, {.mode = OpenMode::kRead}, Environment{});
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ((*reader)->Info(*ConversationId::Parse("c"))->last.value, last);
    const auto writer = EventLog::Open(store_, {.mode = OpenMode::kWrite}, Environment{});
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code, ErrorCode::kCorruption);
  }

  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
  EventEncoder encoder_;
};

TEST_F(CraftedStoreTest, ASeqThatCannotBe) {
  Put({.kind = EventKind::kTurnStart, .conversation = 1, .seq = kMaxSeq}, Payload());
  ExpectDamage(1);
}

TEST_F(CraftedStoreTest, ConversationNumbersThatCannotBe) {
  for (const std::uint32_t number : {0U, UINT32_MAX}) {
    SCOPED_TRACE(number);
    Put({.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = number}, "d");
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_GE(report->damage_count, 1U);
  }
}

TEST_F(CraftedStoreTest, AnAnnouncementOfMoreFramesThanItHolds) {
  std::string payload;
  AppendVarint(payload, std::uint64_t{1} << 60);
  Put({.type = FrameType::kEraseIntent, .kind = EventKind{0}}, payload);
  ExpectDamage(1);
}

TEST_F(CraftedStoreTest, AFrameOfALaterVersionIsNoDamage) {
  Put({.kind = EventKind::kTurnStart, .conversation = 1, .seq = 2, .codec = 1}, Payload());
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    const auto refused = EventLog::Open(store_, {.mode = mode}, Environment{});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnsupportedVersion);
  }
}

// The checksum is right, and what it covers is no compressed event.
TEST_F(CraftedStoreTest, PayloadsThatCannotBeDecompressed) {
  for (const std::string& payload : {std::string(), std::string("\x90\x4e\x01\xff\xff\xff\xff", 7),
                                     std::string("\xff\xff\xff\xff\x0f\x01zzzz", 10), std::string("\x20\x81\xff", 3)}) {
    for (const std::uint8_t codec : {kLz4Codec, kZstdCodec}) {
      const TempDir folder;
      std::filesystem::copy(store_, folder / "copy", std::filesystem::copy_options::recursive);
      Put({.kind = EventKind::kChatResponse, .conversation = 1, .seq = 2, .codec = codec}, payload);
      ExpectDamage(2);
      const auto reader = EventLog::Open(store_, {.mode = OpenMode::kRead}, Environment{});
      const auto cursor = (*reader)->ReadRaw(*ConversationId::Parse("c"), {.from = {2}});
      const auto item = (*cursor)->Next();
      ASSERT_TRUE(item) << item.error().message;
      const auto* damage = std::get_if<Damage>(&*item);
      ASSERT_NE(damage, nullptr);
      EXPECT_EQ(damage->file, "log/" + SegmentName(0));
      EXPECT_EQ(damage->seq, 2U);
      std::filesystem::remove_all(store_);
      std::filesystem::rename(folder / "copy", store_);
    }
  }
}

// An index does not need what cannot be read here; `verify` reads it nevertheless.
TEST_F(CraftedStoreTest, ABodyThatCannotBeReadIsFoundByVerify) {
  std::string payload = Payload();
  const auto only_body_is_broken = [&] { return DecodeLabel(payload) && !DecodeEvent(payload); };
  for (std::size_t i = 0; i < payload.size() && !only_body_is_broken(); ++i) {
    payload = Payload();
    payload[i] = static_cast<char>(payload[i] ^ 0x7f);
  }
  ASSERT_TRUE(only_body_is_broken());
  Put({.kind = EventKind::kTurnStart, .conversation = 1, .seq = 2}, payload);
  const auto report = VerifyStore(store_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->damage_count, 1U);
  const auto writer = EventLog::Open(store_, {.mode = OpenMode::kWrite}, Environment{});
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_EQ((*writer)->Info(*ConversationId::Parse("c"))->last.value, 2U);
}

TEST_F(CraftedStoreTest, PayloadsOfALaterVersion) {
  for (const auto& [codec, dictionary] : {std::pair{std::uint8_t{3}, '\x01'}, std::pair{kLz4Codec, '\x02'}}) {
    const TempDir folder;
    std::filesystem::copy(store_, folder / "copy", std::filesystem::copy_options::recursive);
    Put({.kind = EventKind::kChatResponse, .conversation = 1, .seq = 2, .codec = codec},
        std::string("\x20") + dictionary + "zzzz");
    const auto report = VerifyStore(store_);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kUnsupportedVersion);
    std::filesystem::remove_all(store_);
    std::filesystem::rename(folder / "copy", store_);
  }
}

}  // namespace
}  // namespace turnlog::crafted_store_test
