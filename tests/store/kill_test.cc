// A writer is killed repeatedly before random file operations: acknowledged events survive, and every append is atomic.
// TURNLOG_EFFORT=full does it 1,000 times.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/store/deterministic_workload.h"
#include "tests/store/killed_writer.h"
#include "tests/support/effort.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"
#include "turnlog/segment_log.h"

namespace turnlog::kill_test {
namespace {

constexpr int kKillsOnTheSameStore = 10;

class Victim {
 public:
  explicit Victim(const std::vector<std::string>& arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    acks_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    if (::posix_spawn(&process_, pointers[0], &actions, nullptr, pointers.data(), environ) != 0) process_ = 0;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Victim() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      (void)WasKilled();
    }
    if (acks_ >= 0) ::close(acks_);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  bool running() const { return process_ > 0; }

  // False at the end.
  bool NextAck(KilledWriterAck& ack) {
    auto* to = reinterpret_cast<char*>(&ack);
    for (std::size_t done = 0; done < sizeof ack;) {
      const ssize_t n = ::read(acks_, to + done, sizeof ack - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  // Waits for its end.
  bool WasKilled() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t process_ = 0;
  int acks_ = -1;
};

class KillTest : public testing::Test {
 protected:
  // Runs a writer that dies at a given operation of the log, or of the index if that comes first.
  void KillOneWriter(const std::filesystem::path& store, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::string segment = std::to_string((8 << 10) << (random() % 5));
    const std::string checkpoint = std::to_string((16 << 10) << (random() % 5));
    const std::string log_operation = std::to_string(1 + random() % (random() % 3 == 0 ? 20 : 800));
    const std::string index_operation = std::to_string(random() % 2 == 0 ? 1 + random() % 60 : 0);
    Victim victim({TURNLOG_KILLED_WRITER, store.string(), std::to_string(seed), segment, checkpoint, log_operation,
                   index_operation});
    ASSERT_TRUE(victim.running());
    KilledWriterAck ack;
    while (victim.NextAck(ack)) acknowledged_[ack.conversation] = std::max(acknowledged_[ack.conversation], ack.seq);
    ASSERT_TRUE(victim.WasKilled());
  }

  // Leaves the store closed.
  void ExpectNothingLost(const std::filesystem::path& store) {
    if (acknowledged_.empty() && !std::filesystem::exists(store / "STORE")) return;
    const auto before = VerifyStore(store);  // after the kill
    ASSERT_TRUE(before) << before.error().message;
    ExpectClean(*before);
    {
      const auto log = OpenSegmentLog(store, {.mode = OpenMode::kWrite});
      ASSERT_TRUE(log) << log.error().message;
      acknowledged_ = ExpectBeginnings(**log, acknowledged_);
      ASSERT_TRUE((*log)->Close());
    }
    const auto after = VerifyStore(store);
    ASSERT_TRUE(after) << after.error().message;
    ExpectClean(*after);
    EXPECT_EQ(after->unfinished_bytes, 0U);
    std::uint64_t events = 0;
    for (const auto& [conversation, last] : acknowledged_) events += last;
    EXPECT_EQ(after->events, events);
  }

  static void ExpectClean(const VerifyReport& report) {
    for (const Damage& damage : report.damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report.index_differences) ADD_FAILURE() << difference;
  }

  LastSeqs acknowledged_;
};

TEST_F(KillTest, AcknowledgedEventsSurviveAndEveryConversationIsABeginning) {
  const std::uint64_t kills = SampleSize(30, 1000);
  std::optional<TempDir> folder;
  for (std::uint64_t seed = 1; seed <= kills; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    if ((seed - 1) % kKillsOnTheSameStore == 0) {
      folder.emplace();
      acknowledged_.clear();
    }
    const std::filesystem::path store = *folder / "store";
    KillOneWriter(store, seed);
    // Usually the next writer is the first to open the store after the kill.
    if (seed % 2 == 0 || seed == kills) ExpectNothingLost(store);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace turnlog::kill_test
