// Watermarks are stored in the index, and lost with it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"
#include "turnlog/maintenance.h"

namespace turnlog::watermark_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatermarkTest : public LogTest {
 protected:
  static std::string Mark(Log& log, std::string_view conversation) {
    const auto watermark = Must(log.FindWatermark("sanitize", Id(conversation)));
    return watermark ? fmt::format("{} {}", watermark->head.value, watermark->state) : "none";
  }
  std::string Mark(std::string_view conversation) { return Mark(*log_, conversation); }
  void Set(std::string_view conversation, std::uint64_t head, std::string_view state = "state") {
    Must(log_->SetWatermark("sanitize", Id(conversation), {{head}, std::string(state)}));
  }
  static std::vector<std::string> Changed(Log& log) {
    std::vector<std::string> names;
    for (const ConversationInfo& info : Must(log.ListChanged("sanitize", "", 1'000))) names.push_back(info.id);
    return names;
  }
  std::vector<std::string> Changed() { return Changed(*log_); }
};

TEST_F(WatermarkTest, IsLostInACrashBeforeTheCheckpoint) {
  Must(Append("a", {Say("1"), Say("2")}));
  Set("a", 1, "old");
  Must(log_->Checkpoint());
  Set("a", 2, "new");
  EXPECT_THAT(Changed(), IsEmpty());
  ReopenAfterCrash();
  EXPECT_EQ(Mark("a"), "1 old");
  EXPECT_THAT(Changed(), ElementsAre("a"));
}

TEST_F(WatermarkTest, IsLostWithTheIndex) {
  Must(Append("a", Say("1")));
  Set("a", 1);
  Close();
  std::filesystem::remove_all(path() / "index");
  Open(OpenMode::kRead);
  EXPECT_EQ(Mark("a"), "none");
  EXPECT_THAT(Changed(), ElementsAre("a"));
  Reopen(OpenMode::kWrite);
  EXPECT_EQ(Mark("a"), "none");
  EXPECT_THAT(Changed(), ElementsAre("a"));
}

TEST_F(WatermarkTest, IsKeptWhenAReadableIndexIsRebuilt) {
  Must(Append("a", Say("1")));
  Must(Append("b", Say("1")));
  Must(Append("c", Say("1")));
  Set("a", 1);
  Set("b", 1);
  Must(log_->SetWatermark("other", Id("not there"), {{0}, "kept"}));
  Close();
  Must(ReindexStore(path()));
  Open();
  EXPECT_EQ(Mark("a"), "1 state");
  EXPECT_THAT(Changed(), ElementsAre("c"));
  EXPECT_EQ(Must(log_->FindWatermark("other", Id("not there")))->state, "kept");
  Must(Append("b", Say("2")));
  Must(log_->Checkpoint());
  EXPECT_THAT(Changed(), ElementsAre("b", "c"));
}

TEST_F(WatermarkTest, IsNothingThatVerifyCompares) {
  Must(Append("a", {Say("1"), Repaired(1, 1)}));
  Must(Append("b", Ask(Opaque("i"))));
  Set("a", 2);
  Close();
  const VerifyReport with = Must(VerifyStore(path()));
  EXPECT_TRUE(with.clean());
  Must(ReindexStore(path()));
  const VerifyReport without = Must(VerifyStore(path()));
  EXPECT_TRUE(without.clean());
  EXPECT_EQ(with.index_entries, without.index_entries);
}

TEST_F(WatermarkTest, IsSeenByAReaderAsOfTheCheckpoint) {
  Must(Append("a", Say("1")));
  Must(Append("b", Say("1")));
  Set("a", 1, "on disk");
  Must(log_->Checkpoint());
  Set("a", 1, "not yet");
  Set("b", 1);
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  EXPECT_EQ(Mark(*reader, "a"), "1 on disk");
  EXPECT_EQ(Mark(*reader, "b"), "none");
  EXPECT_THAT(Changed(*reader), ElementsAre("b"));
  Must(Append("a", Say("2")));
  Must(reader->Refresh());
  EXPECT_THAT(Changed(*reader), ElementsAre("a", "b"));
  EXPECT_EQ(CodeOf(reader->SetWatermark("sanitize", Id("a"), {{1}, ""})), "read only");
}

// So many that they trigger checkpoints.
TEST_F(WatermarkTest, ManyAreNotKeptInMemory) {
  constexpr int kConversations = 400;  // 40 MiB of watermarks; two times 8 MiB may be waiting for the disk
  for (int i = 0; i < kConversations; ++i) Must(Append(std::to_string(i), Say("1")));
  for (int i = 0; i < kConversations; ++i) Set(std::to_string(i), 1, std::string(100 << 10, 'x'));
  ReopenAfterCrash();
  EXPECT_LT(Changed().size(), 200U);
}

}  // namespace
}  // namespace turnlog::watermark_test
