// A process is killed ahead of any file operation while it sanitizes: each conversation is as it was before or as it is
// after. TURNLOG_EFFORT=full does it 500 times.
#include <gmock/gmock.h>

#include <random>

#include "tests/sanitize/kill_rounds.h"
#include "tests/store/child_process.h"
#include "tests/support/effort.h"
#include "turnlog/maintenance.h"
#include "turnlog/segment_log.h"

namespace turnlog::kill_test {
namespace {

using ::testing::IsEmpty;

class SanitizeKillTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "store"; }

  void KillOne(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ChildProcess victim(
        {TURNLOG_KILLED_SANITIZER, path().string(), std::to_string(seed), std::to_string(20 + random() % 150)});
    ASSERT_EQ(victim.ReadLine(), "");  // its end
    victim.Kill();
  }

  // Each round is complete and followed by all of its repairs; only the last round may have none.
  void ExpectWholeRuns(Log& log, const std::string& name) {
    const std::vector<Event> raw = RawEvents(log, name);
    for (std::size_t at = 0; at < raw.size();) {
      ASSERT_LE(at + Round().size(), raw.size());
      for (const Event& event : Round()) ASSERT_EQ(raw[at++], event);
      std::size_t repairs = 0;
      while (at < raw.size() && raw[at].kind() == EventKind::kRepair) ++at, ++repairs;
      EXPECT_TRUE(repairs == 0 || repairs % kRepairsOfRound == 0) << repairs;
      rounds_with_repairs_ += repairs > 0 ? 1 : 0;
      rounds_without_ += repairs > 0 ? 0 : 1;
    }
  }

  void ExpectBeforeOrAfter() {
    const auto report = Must(VerifyStore(path()));
    EXPECT_EQ(report.damage_count, 0U);
    const auto log = Must(OpenSegmentLog(path(), {.mode = OpenMode::kWrite}));
    for (const ConversationInfo& info : Must(log->List("", 10))) {
      SCOPED_TRACE(info.id);
      ExpectWholeRuns(*log, info.id);
      Must(Sanitize(*log, Id(info.id), kStrictly));
      EXPECT_EQ(ShownEvents(*log, info.id), SanitizedAfresh(*log, info.id, kStrictly));
      EXPECT_THAT(Must(Sanitize(*log, Id(info.id), kStrictly)).repairs, IsEmpty());
    }
    Must(log->Close());
  }

  TempDir folder_;
  int rounds_with_repairs_ = 0, rounds_without_ = 0;
};

TEST_F(SanitizeKillTest, EachConversationIsBeforeOrAfter) {
  for (std::uint64_t seed = 1; seed <= SampleSize(12, 500); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (seed % 5 == 0) std::filesystem::remove_all(path());  // it is read as a whole after each kill
    KillOne(seed);
    ExpectBeforeOrAfter();
    if (HasFailure()) return;
  }
  EXPECT_GT(rounds_with_repairs_, 0);
  EXPECT_GT(rounds_without_, 0) << "no kill came at a moment that matters";
}

}  // namespace
}  // namespace turnlog::kill_test
