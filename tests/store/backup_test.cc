// Backups and restored stores: beside a writer, incremental, with erasures, damage and interruptions.
#include "store/backup/backup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/store/log_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/fault_file_system.h"

namespace turnlog::backup_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSecret = "the bytes that have to go";

class BackupTest : public LogTest {
 protected:
  std::filesystem::path backup(std::string_view name = "backup") const { return folder_ / std::string(name); }

  Result<BackupReport> Backup(std::string_view name = "backup") { return BackupStore(path(), backup(name)); }
  void Fill(std::string_view conversation, int events) {
    for (int i = 0; i < events; ++i) Must(Append(conversation, Say(fmt::format("{:0>400}", i))));
  }
  void Erase(std::string_view conversation, std::uint64_t seq) {
    const Seq erased{seq};
    Must(log_->Erase(Id(conversation), std::span(&erased, 1)));
  }

  static std::vector<std::string> LinesOf(const std::filesystem::path& store, std::string_view conversation) {
    const auto log = Must(OpenSegmentLog(store, {.mode = OpenMode::kRead}));
    return Lines(*log, conversation);
  }
  std::vector<std::string> Ours(std::string_view conversation) { return Lines(*log_, conversation); }

  static std::string ContentsOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static bool Holds(const std::filesystem::path& folder, std::string_view text) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && ContentsOf(entry.path()).find(text) != std::string::npos) return true;
    }
    return false;
  }
  // Damages the first occurrence of `text`.
  static void Damage(const std::filesystem::path& folder, std::string_view text) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / "log")) {
      std::string contents = ContentsOf(entry.path());
      const std::size_t at = contents.find(text);
      if (at == std::string::npos) continue;
      contents[at] ^= 1;
      std::ofstream(entry.path(), std::ios::binary) << contents;
      return;
    }
    FAIL() << "not there: " << text;
  }
};

TEST_F(BackupTest, HoldsWhatTheStoreHeldBesideItsWriter) {
  Fill("a", 100);
  Must(Append("b", {NewTurn(), Say("b")}));
  const BackupReport report = Must(Backup());
  EXPECT_FALSE(report.incremental);
  EXPECT_EQ(report.damage_count, 0u);
  EXPECT_EQ(report.events, 102u);
  EXPECT_EQ(report.conversations, 2u);
  EXPECT_EQ(LinesOf(backup(), "a"), Ours("a"));
  EXPECT_EQ(LinesOf(backup(), "b"), Ours("b"));
}

TEST_F(BackupTest, AnotherRunCopiesOnlyWhatIsNew) {
  Fill("a", 100);
  const BackupReport first = Must(Backup());
  const BackupReport same = Must(Backup());
  EXPECT_TRUE(same.incremental);
  EXPECT_EQ(same.copied_bytes, 0u);
  Fill("a", 60);
  const BackupReport second = Must(Backup());
  EXPECT_TRUE(second.incremental);
  EXPECT_GT(second.copied_bytes, 60u * 400);
  EXPECT_LT(second.copied_bytes, first.copied_bytes);
  EXPECT_EQ(second.events, 160u);
  EXPECT_EQ(LinesOf(backup(), "a"), Ours("a"));
}

TEST_F(BackupTest, AnEmptyStoreHasBackupsToo) {
  EXPECT_EQ(Must(Backup()).events, 0u);
  EXPECT_EQ(Must(Backup()).copied_bytes, 0u);
  Must(Append("a", Say("x")));
  EXPECT_EQ(Must(Backup()).events, 1u);
  EXPECT_EQ(Must(RestoreStore(backup(), backup("restored"))).events, 1u);
}

TEST_F(BackupTest, IsNotWrittenTo) {
  Must(Append("a", Say("x")));
  Must(Backup());
  EXPECT_EQ(CodeOf(OpenSegmentLog(backup(), {})), "read only");
  EXPECT_EQ(CodeOf(ReindexStore(backup())), "read only");
}

TEST_F(BackupTest, WhatWasErasedSinceIsDestroyedInTheBackup) {
  Must(Append("a", {Say(kSecret), Say("stays")}));
  Fill("a", 50);
  Must(Backup());
  EXPECT_TRUE(Holds(backup(), kSecret));
  Erase("a", 1);
  const BackupReport report = Must(Backup());
  EXPECT_EQ(report.erased_frames, 1u);
  EXPECT_EQ(report.damage_count, 0u);
  EXPECT_FALSE(Holds(backup(), kSecret));
  EXPECT_EQ(LinesOf(backup(), "a"), Ours("a"));
}

TEST_F(BackupTest, OtherBackupsThatMayStillHoldItAreNamed) {
  Must(Append("a", {Say(kSecret), Say("stays")}));
  Must(Backup("one"));
  Must(Backup("two"));
  Erase("a", 1);
  const BackupReport report = Must(Backup("one"));
  ASSERT_THAT(report.outdated, SizeIs(1));
  EXPECT_EQ(report.outdated[0].folder, std::filesystem::canonical(backup("two")).string());
  EXPECT_THAT(Must(ListBackups(path())),
              ElementsAre(Field(&KnownBackup::outdated, false), Field(&KnownBackup::outdated, true)));
  EXPECT_THAT(Must(Backup("two")).outdated, IsEmpty());
}

TEST_F(BackupTest, ABackupMadeAfterTheErasureIsNotNamed) {
  Must(Append("a", {Say(kSecret), Say("stays")}));
  Must(Backup("one"));
  Erase("a", 1);
  Must(Backup("two"));
  Must(Append("a", Say("later")));
  EXPECT_THAT(Must(Backup("one")).outdated, IsEmpty());
}

TEST_F(BackupTest, GoesNowhereButIntoABackupOfThisStore) {
  Must(Append("a", Say("x")));
  std::filesystem::create_directories(backup("photos"));
  std::ofstream(backup("photos") / "a.jpg") << "x";
  EXPECT_THAT(MessageOf(Backup("photos")), HasSubstr("a.jpg"));
  Must(Must(OpenSegmentLog(backup("other"), {}))->Append(Id("a"), Say("y")));
  EXPECT_EQ(CodeOf(Backup("other")), "invalid argument");
  EXPECT_EQ(CodeOf(BackupStore(path(), path())), "invalid argument");
  EXPECT_EQ(CodeOf(BackupStore(path(), path() / "backup")), "invalid argument");
  EXPECT_EQ(CodeOf(Backup("not/there")), "invalid argument");
  Must(BackupStore(backup("other"), backup()));
  EXPECT_EQ(CodeOf(Backup()), "invalid argument");
}

TEST_F(BackupTest, RefusesToMixHistoriesThatHaveParted) {
  Fill("a", 10);
  Must(Backup("old"));
  Fill("a", 10);
  Must(Append("b", Say("one way")));
  Must(Backup());
  Close();
  Must(RestoreStore(backup("old"), backup("restored")));
  log_ = Must(OpenSegmentLog(backup("restored"), Options(OpenMode::kWrite)));
  Fill("a", 10);
  Must(Append("b", Say("another")));  // the same length at the same offset
  EXPECT_EQ(CodeOf(BackupStore(backup("restored"), backup())), "conflict");
}

TEST_F(BackupTest, ARestoredStoreCanBeWrittenTo) {
  Fill("a", 100);
  Must(Backup());
  const auto expected = Ours("a");
  const RestoreReport report = Must(RestoreStore(backup(), backup("restored")));
  EXPECT_EQ(report.events, 100u);
  EXPECT_TRUE(Must(VerifyStore(backup("restored"))).clean());
  const auto log = Must(OpenSegmentLog(backup("restored"), Options(OpenMode::kWrite)));
  EXPECT_EQ(Lines(*log, "a"), expected);
  EXPECT_EQ(Must(log->Append(Id("a"), Say("more"))).events[0].seq, Seq{101});
}

TEST_F(BackupTest, RestoresOnlyIntoAnEmptyFolder) {
  Must(Append("a", Say("x")));
  Must(Backup());
  EXPECT_EQ(CodeOf(RestoreStore(backup(), path())), "invalid argument");
  EXPECT_EQ(CodeOf(RestoreStore(backup("nothing"), backup("restored"))), "not found");
}

TEST_F(BackupTest, DamageIsNamedAndNotRestoredUnlessInPart) {
  Must(Append("a", {Say("before"), Say("to be damaged"), Say("behind")}));
  Must(log_->Checkpoint());
  Must(Append("a", Say("later")));
  Must(Backup());
  Damage(backup(), "to be damaged");
  const auto refused = RestoreStore(backup(), backup("restored"));
  EXPECT_EQ(CodeOf(refused), "corruption");
  EXPECT_THAT(MessageOf(refused), HasSubstr("log/0000000000000000.seg byte 4"));
  const RestoreReport report = Must(RestoreStore(backup(), backup("restored"), {.partial = true}));
  EXPECT_GT(report.damage_count, 0u);
  EXPECT_THAT(LinesOf(backup("restored"), "a"), Contains("4 0 later"));
}

TEST_F(BackupTest, ADamagedLastRecordIsNamedWhenItIsRestored) {
  Must(Append("a", {Say("before")}));
  Must(Append("a", Say("to be damaged")));
  Must(Backup());
  Damage(backup(), "to be damaged");
  EXPECT_EQ(CodeOf(RestoreStore(backup(), backup("restored"))), "corruption");
  EXPECT_EQ(CodeOf(Backup()), "corruption");
  EXPECT_EQ(Must(RestoreStore(backup(), backup("restored"), {.partial = true})).damage_count, 1u);
  EXPECT_THAT(LinesOf(backup("restored"), "a"), ElementsAre("1 0 before"));
}

TEST_F(BackupTest, WhatTheStoreHasLostAtItsEndIsNamed) {
  Must(Append("a", Say("before")));
  Must(Append("a", Say("to be damaged")));
  Close();
  Damage(path(), "to be damaged");
  EXPECT_EQ(Must(Backup()).damage_count, 1u);
  EXPECT_THAT(LinesOf(backup(), "a"), ElementsAre("1 0 before"));
}

TEST_F(BackupTest, ItsVerificationKnowsWhereItEnds) {
  Must(Append("a", Say("x")));
  Must(Backup());
  EXPECT_TRUE(Must(VerifyStore(backup())).clean());
  std::filesystem::remove(backup() / "log" / "0000000000000000.seg");
  EXPECT_THAT(Must(VerifyStore(backup())).damage,
              ElementsAre(Field(&turnlog::Damage::file, "log/0000000000000000.seg")));
  Must(Backup("other"));
  std::ofstream(backup("other") / "BACKUP", std::ios::app) << "checksum 0\n";
  EXPECT_THAT(Must(VerifyStore(backup("other"))).damage, ElementsAre(Field(&turnlog::Damage::file, "BACKUP")));
}

TEST_F(BackupTest, ItsReadersKnowWhereItEnds) {
  Must(Append("a", Say("x")));
  Must(Backup());
  const auto notes = [&] { return Must(OpenSegmentLog(backup(), {.mode = OpenMode::kRead}))->OpenNotes(); };
  EXPECT_THAT(notes(), SizeIs(1));
  std::filesystem::remove(backup() / "log" / "0000000000000000.seg");
  EXPECT_THAT(notes(), ElementsAre(testing::_, HasSubstr("log/0000000000000000.seg")));
}

// The only segment, so that no other one shows that the log goes on.
TEST_F(BackupTest, ASegmentThatIsLostOrCannotBeReadIsNamed) {
  Must(Append("a", Say("x")));
  Close();
  const std::filesystem::path segment = path() / "log" / "0000000000000000.seg";
  Damage(path(), "TLSEGMT1");
  const BackupReport unreadable = Must(Backup());
  EXPECT_GT(unreadable.damage_count, 0u);
  EXPECT_THAT(unreadable.damage, Contains(Field(&turnlog::Damage::file, "log/0000000000000000.seg")));
  std::filesystem::remove(segment);
  const BackupReport missing = Must(Backup("other"));
  EXPECT_THAT(missing.damage, ElementsAre(Field(&turnlog::Damage::file, "log/0000000000000000.seg")));
}

TEST_F(BackupTest, ABadSectorKeepsNothingElseFromTheBackup) {
  Must(Append("a", Say("before")));
  Fill("a", 30);
  Must(Append("a", Say("behind"), {.durability = Durability::kSync, .expected_last = {}}));
  Must(Append("a", Say("last"), {.durability = Durability::kSync, .expected_last = {}}));
  FaultFileSystem files(PosixFileSystem());
  files.BreakSector((path() / "log" / "0000000000000000.seg").string(), 8192, 512);
  EXPECT_GT(Must(BackupStore(files, path(), backup(), {})).damage_count, 0u);
  const auto lines = LinesOf(backup(), "a");
  EXPECT_EQ(lines.front(), "1 0 before");
  EXPECT_EQ(lines.back(), "33 0 last");
}

// Interrupted at every operation; then run again.
TEST_F(BackupTest, AnInterruptedBackupLosesNothingAndCanBeContinued) {
  Must(Append("a", {Say(kSecret), Say("stays")}));
  Fill("a", 60);
  const auto first = Ours("a");
  Must(Backup("base"));
  Fill("a", 60);
  Erase("a", 1);
  const auto second = Ours("a");
  FaultFileSystem files(PosixFileSystem());
  for (std::uint64_t n = 1;; n += SampleStep(1)) {
    SCOPED_TRACE(n);
    const auto to = backup(fmt::format("backup-{}", n)), restored = backup(fmt::format("restored-{}", n));
    std::filesystem::copy(backup("base"), to, std::filesystem::copy_options::recursive);
    files.FailMutation(n, FaultMode::kIoError, FaultExtent::kFromThenOn);
    const bool done = BackupStore(files, path(), to, {.verify = false}).has_value();
    files.Heal();
    Must(RestoreStore(to, restored));
    const auto lines = LinesOf(restored, "a");
    ASSERT_GE(lines.size(), first.size());
    EXPECT_TRUE(std::equal(lines.begin() + 1, lines.end(), second.begin() + 1));
    EXPECT_EQ(Must(BackupStore(path(), to)).damage_count, 0u);
    EXPECT_EQ(LinesOf(to, "a"), second);
    EXPECT_FALSE(Holds(to, kSecret));
    if (done) break;
  }
}

TEST_F(BackupTest, AnInterruptedRestoreIsNoStoreAndCanBeContinued) {
  Fill("a", 100);
  Must(Backup());
  const auto expected = Ours("a");
  FaultFileSystem files(PosixFileSystem());
  for (std::uint64_t n = 1;; n += SampleStep(1)) {
    SCOPED_TRACE(n);
    const auto to = backup(fmt::format("restored-{}", n));
    files.FailMutation(n, FaultMode::kIoError, FaultExtent::kFromThenOn);
    const bool done = RestoreStore(files, backup(), to, {}).has_value();
    files.Heal();
    if (!done && !std::filesystem::exists(to / "STORE")) Must(RestoreStore(backup(), to));
    EXPECT_EQ(LinesOf(to, "a"), expected);
    if (done) break;
  }
}

// The writer erases an event before each operation of the backup in turn, of the first run and of a later one.
TEST_F(BackupTest, WhatIsErasedWhileItIsCopiedIsNotInTheBackup) {
  for (const bool later : {false, true}) {
    for (std::uint64_t n = 1;; n += SampleStep(1)) {
      SCOPED_TRACE(fmt::format("{} {}", later, n));
      const auto from = backup(fmt::format("store-{}-{}", later, n)),
                 to = backup(fmt::format("backup-{}-{}", later, n));
      const auto log = Must(OpenSegmentLog(from, Options()));
      Must(log->Append(Id("a"), std::vector{Say(kSecret), Say("stays")}));
      if (later) Must(BackupStore(from, to));
      for (int i = 0; i < 60; ++i) Must(log->Append(Id("a"), Say(fmt::format("{:0>400}", i)), kBuffered));
      FaultFileSystem files(PosixFileSystem());
      std::optional<std::string> operand;
      files.PauseAt(n, [&](std::string_view path) {
        const Seq seq{1};
        Must(log->Erase(Id("a"), std::span(&seq, 1)));
        operand = path;
      });
      EXPECT_EQ(Must(BackupStore(files, from, to, {})).damage_count, 0u);
      if (!operand) break;
      // The files outside log/ are written after the last scan for erasures.
      if (operand->starts_with((to / "log").string())) {
        EXPECT_FALSE(Holds(to, kSecret)) << *operand;
      }
      EXPECT_EQ(Must(BackupStore(from, to)).damage_count, 0u);
      EXPECT_EQ(LinesOf(to, "a"), Lines(*log, "a"));
      EXPECT_FALSE(Holds(to, kSecret));
    }
  }
}

}  // namespace
}  // namespace turnlog::backup_test
