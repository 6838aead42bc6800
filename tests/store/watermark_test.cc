// Watermarks are stored in the index, and lost with it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "store/engine/event_log.h"
#include "store/index/index_format.h"
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

// How many marks of changed conversations are on disk.
std::size_t CountMarks(EventLog& log) {
  const std::string prefix = SpacePrefix(KeySpace::kChanged);
  return Must(Must(log.index())->base().Range(prefix, prefix, SIZE_MAX)).size();
}

TEST_F(WatermarkTest, AConsumerThatSeesAllConversationsInOrderNeedsNoMarks) {
  const auto log = Must(EventLog::Open(path().parent_path() / "other", {}, {}));
  for (int i = 0; i < 100; ++i) Must(log->Append(Id(fmt::format("{:02}", i)), Say("1")));
  Must(log->SetWatermark("import", Id("zzz"), {{0}, "of no conversation"}));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Changed(*log).size(), static_cast<std::size_t>(100 - i));
    Must(log->SetWatermark("sanitize", Id(fmt::format("{:02}", i)), {{1}, ""}));
    if (i % 10 == 9) Must(log->Checkpoint());
    EXPECT_EQ(CountMarks(*log), 0U);
  }
  Must(log->Append(Id("42"), Say("2")));
  Must(log->Append(Id("999"), Say("1")));
  Must(log->Checkpoint());
  EXPECT_THAT(Changed(*log), ElementsAre("42", "999"));
  EXPECT_EQ(CountMarks(*log), 2U);
}

// An older version that is interrupted while it marks all conversations leaves marks that nothing is said about.
TEST_F(WatermarkTest, MarksThatWereLeftBehindAreRemoved) {
  const auto log = Must(EventLog::Open(path().parent_path() / "other", {}, {}));
  for (const auto* name : {"a", "b", "c"}) Must(log->Append(Id(name), Say("1")));
  Must(log->Checkpoint());
  IndexBatch batch;
  for (const auto* name : {"a", "b", "c"}) batch.Put(ChangedKey("sanitize", name));
  Must(Must(log->index())->base().Apply(batch));
  for (const auto* name : {"a", "b", "c"}) {
    Must(log->SetWatermark("sanitize", Id(name), {{1}, ""}));
    Must(log->Checkpoint());
  }
  EXPECT_THAT(Changed(*log), IsEmpty());
}

// More than are written with the checkpoint itself.
TEST_F(WatermarkTest, TheLastConversationsWatermarkMarksAllOthers) {
  constexpr int kConversations = (1 << 16) + 5000;
  const Event event = Say("1");
  const EventView view = View(event);
  for (int i = 0; i < kConversations; ++i) Must(log_->AppendLater(Id(fmt::format("{:05}", i)), {&view, 1}, kBuffered));
  Must(log_->Checkpoint());
  Set("00007", 1);
  Set("70000", 1);
  Must(log_->Checkpoint());
  ReopenAfterCrash();
  const auto changed = [&](std::string_view after) { return Must(log_->ListChanged("sanitize", after, 2)); };
  EXPECT_EQ(changed("00005").back().id, "00008");
  EXPECT_EQ(changed("69999").front().id, "70001");
  EXPECT_EQ(Must(log_->ListChanged("sanitize", "", SIZE_MAX)).size(), kConversations - 2U);
}

// The naive answer: asks for the watermark of each conversation.
std::vector<std::string> ChangedOneByOne(Log& log) {
  std::vector<std::string> names;
  for (const ConversationInfo& info : Must(log.List("", SIZE_MAX))) {
    const auto watermark = Must(log.FindWatermark("sanitize", Id(info.id)));
    if (!watermark || watermark->head < info.last) names.push_back(info.id);
  }
  return names;
}

std::vector<std::string> ChangedByPages(Log& log, std::size_t limit) {
  std::vector<std::string> names;
  for (;;) {
    const auto page = Must(log.ListChanged("sanitize", names.empty() ? "" : names.back(), limit));
    if (page.empty()) return names;
    for (const ConversationInfo& info : page) names.push_back(info.id);
  }
}

class ChangedTest : public WatermarkTest, public testing::WithParamInterface<unsigned> {};

TEST_P(ChangedTest, IsWhatTheWatermarksSay) {
  std::minstd_rand random(GetParam());
  const auto name = [&] { return fmt::format("{:02}", random() % 40); };
  for (int step = 0; step < 200; ++step) {
    switch (random() % 8) {
      case 0:
        Must(log_->Checkpoint());
        break;
      case 1:
        random() % 4 == 0 ? ReopenAfterCrash() : Reopen();
        break;
      case 2:
      case 3:
        Must(Append(name(), Say("more")));
        break;
      default:
        const auto info = log_->Info(Id(name()));
        const Watermark seen{info ? Seq{info->last.value - random() % 2 * (info->last.value > 1)} : Seq{0}, ""};
        Must(log_->SetWatermark("sanitize", Id(info ? info->id : name()), seen));
    }
    ASSERT_EQ(ChangedByPages(*log_, 1 + random() % 10), ChangedOneByOne(*log_)) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangedTest, testing::Range(0U, 12U));

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
