// Rebuilding the index of a log that is in use.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "store/engine/event_log.h"
#include "tests/store/log_fixture.h"
#include "turnlog/maintenance.h"

namespace turnlog::reindex_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ReindexTest : public LogTest {
 protected:
  void AppendSome(int turns = 200) {
    for (int i = 1; i <= turns; ++i) {
      const std::string conversation = fmt::format("c{}", i % 7);
      Must(Append(conversation, {NewTurn(), Named(fmt::format("e{}", ++named_), Say(std::string(400, 'x'))),
                                 Ask(Opaque(fmt::format("i{}", i % 3)))}));
      if (i % 2 == 0) Must(Append(conversation, Answer(Opaque(fmt::format("i{}", i % 3)))));
      if (i % 5 == 0) Must(Append(conversation, Repaired(1, 2)));
    }
  }
  std::vector<std::string> Answers() {
    std::vector<std::string> all = PendingLines(*log_);
    const auto add = [&](std::vector<std::string> lines) { all.insert(all.end(), lines.begin(), lines.end()); };
    for (const ConversationInfo& info : Must(log_->List("", 100))) {
      all.push_back(fmt::format("{} {} {} {}", info.id, info.last.value, info.turns, info.bytes));
      add(Lines(*log_, info.id));
      add(Lines(*log_, info.id, {.from_turn = Turn{3}, .limit = 5}));
      add(RepairLines(*log_, info.id));
      for (const char* id : {"i0", "i1", "i2"}) add(AttemptLines(*log_, info.id, Opaque(id)));
    }
    return all;
  }
  void Set(std::string_view conversation, std::uint64_t head) {
    Must(log_->SetWatermark("test", Id(conversation), {{head}, "state"}));
  }
  std::vector<std::string> Changed() {
    std::vector<std::string> names;
    for (const ConversationInfo& info : Must(log_->ListChanged("test", "", 100))) names.push_back(info.id);
    return names;
  }
  void Reindex() { EXPECT_TRUE(Must(ReindexLog(*log_))); }
  void ExpectSound() {
    const VerifyReport report = Must(VerifyStore(path()));
    EXPECT_TRUE(report.clean()) << testing::PrintToString(report.index_differences);
  }
  // All entries of the index in the folder, but for what cannot be the same in two of them.
  std::vector<std::pair<std::string, std::string>> Entries() {
    std::vector<std::pair<std::string, std::string>> entries;
    const auto base = Must(IndexBase::Open(path() / "index", IndexBase::Access::kRead, {}));
    const auto walk = Must(base->Walk());
    for (; walk->Valid(); walk->Next()) {
      std::string value(walk->value());
      // The entry of an inquiry is merged from those of the checkpoints.
      if (walk->key().front() == static_cast<char>(KeySpace::kInquiry)) {
        value = EncodeInquiries(DecodeInquiries(value).value());
      }
      entries.emplace_back(walk->key(), std::move(value));
    }
    Must(walk->status());
    return entries;
  }

  int named_ = 0;
};

TEST_F(ReindexTest, MakesAnIndexLikeTheOneFromNothing) {
  AppendSome();
  Must(log_->Checkpoint());
  AppendSome(20);
  const auto before = Answers();
  Reindex();
  EXPECT_EQ(Answers(), before);
  EXPECT_FALSE(fs::exists(path() / "index.new") || fs::exists(path() / "index.old"));
  EXPECT_EQ(Figure(*log_, "checkpoint_offset"), Figure(*log_, "end_offset"));
  ExpectSound();
  const auto live = Entries();
  Close();
  fs::remove_all(path() / "index");
  Open();
  Must(log_->Checkpoint());
  EXPECT_EQ(Entries(), live);
  EXPECT_EQ(Answers(), before);
}

TEST_F(ReindexTest, TheLogGoesOnAfterwards) {
  AppendSome();
  for (int round = 0; round < 3; ++round) {
    Reindex();
    EXPECT_THAT(Seqs(Append("c1", Named("e1", Say("x")))), ElementsAre(-2));
    AppendSome(30);
    Must(log_->Checkpoint());
    ExpectSound();
  }
  const auto before = Answers();
  Must(Append("new", Say("1")));
  ReopenAfterCrash();
  ExpectSound();
  Must(log_->Close());
  Open();
  EXPECT_EQ(Must(log_->Info(Id("new"))).last.value, 1U);
}

TEST_F(ReindexTest, AnEmptyLogHasAnIndexToo) {
  Reindex();
  ExpectSound();
  Must(Append("a", Say("1")));
  Reindex();
  Reopen();
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

TEST_F(ReindexTest, OpenCursorsAndTailsStayValid) {
  AppendSome();
  Must(log_->Checkpoint());
  const auto lines = Lines(*log_, "c1");
  const auto all = TailLines(*Must(log_->Follow({})));
  const auto cursor = Must(log_->ReadRaw(Id("c1")));
  const auto tail = Must(log_->Follow({}));
  std::vector<std::string> read{Line(Must(cursor->Next()))};
  (void)Must(tail->Next());
  Reindex();
  for (std::string& line : Lines(*cursor)) read.push_back(std::move(line));
  EXPECT_EQ(read, lines);
  EXPECT_EQ(TailLines(*tail).size() + 1, all.size());
  Must(Append("c1", Say("later")));
  EXPECT_THAT(TailLines(*tail), ElementsAre(testing::HasSubstr("later")));
}

TEST_F(ReindexTest, ReadersOfOtherProcessesGoOn) {
  AppendSome();
  Must(log_->Checkpoint());
  const auto before = Must(OpenQuietLog(path(), Options(OpenMode::kRead)));
  Reindex();
  EXPECT_EQ(Lines(*before, "c1"), Lines(*log_, "c1"));
  Must(Append("c1", Say("later")));
  Must(log_->Checkpoint());
  Must(before->Refresh());
  EXPECT_EQ(Lines(*before, "c1"), Lines(*log_, "c1"));
  const auto after = Must(OpenQuietLog(path(), Options(OpenMode::kRead)));
  EXPECT_THAT(after->OpenNotes(), IsEmpty());
  EXPECT_EQ(Lines(*after, "c1"), Lines(*log_, "c1"));
}

TEST_F(ReindexTest, WatermarksAreKeptAndWhatHasGrownSince) {
  for (const char* name : {"behind", "new", "seen", "seen in memory"}) Must(Append(name, Say("1")));
  Set("behind", 1);
  Set("seen", 1);
  Must(log_->Checkpoint());
  Must(Append("behind", Say("2")));
  Must(Append("newer", Say("1")));
  Set("seen in memory", 1);
  const auto changed = Changed();
  EXPECT_THAT(changed, ElementsAre("behind", "new", "newer"));
  for (int round = 0; round < 3; ++round) {
    Reindex();
    EXPECT_EQ(Changed(), changed);
    EXPECT_EQ(Must(log_->FindWatermark("test", Id("behind")))->head.value, 1U);
    if (round == 1) Must(log_->Checkpoint());
  }
  Reopen();
  EXPECT_EQ(Changed(), changed);
  Set("behind", 2);
  Must(Append("seen", Say("2")));
  EXPECT_THAT(Changed(), ElementsAre("new", "newer", "seen"));
}

TEST_F(ReindexTest, NothingOfAWrongIndexIsLeft) {
  AppendSome();
  Close();
  {
    const auto base = Must(IndexBase::Open(path() / "index", IndexBase::Access::kWrite, {}));
    IndexBatch batch;
    batch.Remove(OffsetBlockKey(1, 0));
    batch.Put(NameKey("made up"), Must(base->Get(NameKey("c1"))).value());
    batch.Put(EventIdKey(1, {}), EncodeNumber(1));
    Must(base->Apply(batch));
  }
  Open(OpenMode::kWrite);
  EXPECT_FALSE(Must(VerifyStore(path())).clean());
  Must(Append("made up", Say("x")));  // in memory it continues the wrong entry
  Reindex();
  EXPECT_EQ(Must(log_->Info(Id("c1"))).turns, 29U);
  Must(Append("c1", Say("x")));
  Must(log_->Checkpoint());
  const VerifyReport report = Must(VerifyStore(path()));
  EXPECT_THAT(report.index_differences, IsEmpty());
}

TEST_F(ReindexTest, StopsWhenAskedTo) {
  AppendSome(2000);
  Set("c1", 1);
  int asked = 0;
  EXPECT_FALSE(Must(ReindexLog(*log_, {.stop = [&] { return ++asked > 0; }})));
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(fs::exists(path() / "index.new"));
  ExpectSound();
  EXPECT_FALSE(Must(ReindexLog(*log_, {.stop = [&] { return ++asked > 2; }})));
  Reindex();
  ExpectSound();
}

TEST_F(ReindexTest, ProgressReachesTheWhole) {
  AppendSome(2000);
  std::vector<std::uint64_t> done;
  std::uint64_t whole = 0;
  EXPECT_TRUE(Must(ReindexLog(*log_, {.progress = [&](std::uint64_t now, std::uint64_t total) {
    done.push_back(now);
    whole = total;
  }})));
  ASSERT_GE(done.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), whole);
}

TEST_F(ReindexTest, ADamagedLogKeepsItsIndex) {
  AppendSome();
  Must(log_->Checkpoint());
  {
    std::fstream file(path() / "log" / SegmentName(0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(6000);
    file.write("damaged", 7);
  }
  const auto rebuilt = ReindexLog(*log_);
  EXPECT_EQ(CodeOf(rebuilt), "corruption");
  EXPECT_FALSE(fs::exists(path() / "index.new"));
  Must(Append("c1", Say("goes on")));
}

TEST_F(ReindexTest, NeedsAWriterThatIsOpen) {
  Reopen(OpenMode::kRead);
  EXPECT_EQ(CodeOf(ReindexLog(*log_)), "read only");
  Reopen(OpenMode::kWrite);
  Must(log_->Close());
  EXPECT_EQ(CodeOf(ReindexLog(*log_)), "needs reopening");
}

}  // namespace
}  // namespace turnlog::reindex_test
