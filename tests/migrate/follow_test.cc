// Following sources that are being written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::follow_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);

class FollowTest : public ImportTest {
 protected:
  FollowTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    stop_read_ = ends[0];
    stop_write_ = ends[1];
  }
  ~FollowTest() override {
    Stop();
    ::close(stop_read_);
  }

  void Start(const fs::path& path, const std::string& format = "auto") {
    thread_ = std::thread([this, path, format] {
      const auto on_report = [this](const ImportReport& report) {
        const std::scoped_lock lock(mutex_);
        events_ += report.events;
        problems_ += report.problems.size();
        ++reports_;
        changed_.notify_all();
      };
      status_ = FollowImports(*log_, format, {&path, 1}, stop_read_, on_report);
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reports_ > 0; });
  }

  void Stop() {
    if (!thread_.joinable()) return;
    ::close(stop_write_);
    thread_.join();
    EXPECT_TRUE(status_) << status_.error().message;
  }

  // Waits until this many events have been appended.
  void WaitFor(std::uint64_t events) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_ >= events; });
  }

  static void AppendTo(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
  }

  int stop_read_ = -1, stop_write_ = -1;
  std::thread thread_;
  Status status_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t events_ = 0, problems_ = 0, reports_ = 0;
};

TEST_F(FollowTest, TakesWhatIsAppended) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(dir_ / "p");
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  WaitFor(3 + 3);  // each with its import record and its turn
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  WaitFor(3 + 3 + 3);
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_F(FollowTest, FindsNewFilesInNewFolders) {
  fs::create_directories(dir_ / "p");
  Start(dir_ / "p");
  Write("p/a/b/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  WaitFor(3);
  Write("p/a/b/" + kSession + "/subagents/agent-x.jsonl", ClaudeUser("2", R"("go")") + "\n");
  WaitFor(3 + 3);
  WriteJp("17-t", "[\n  {\"type\": \"turn_start\"}\n]\n", "p/c/conversations");
  WaitFor(3 + 3 + 2);
  Stop();
  EXPECT_THAT(All(), SizeIs(3));
}

TEST_F(FollowTest, TakesTheLastStateOfAFileThatIsRemoved) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  const fs::path agent = Write("p/" + kSession + "/subagents/agent-x.jsonl", ClaudeUser("a", R"("go")") + "\n");
  Start(dir_ / "p");
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  AppendTo(agent, ClaudeUser("b", R"("on")") + "\n");
  fs::remove_all(dir_ / "p" / kSession);
  fs::remove(path);
  WaitFor(4 * 3);
  Stop();
  EXPECT_EQ(problems_, 0U);
  EXPECT_THAT(Events(kSession), SizeIs(6));
  EXPECT_THAT(Events(kSession + "/agent-x"), SizeIs(6)) << "nothing is removed from the log";
}

TEST_F(FollowTest, FollowsAFileThatIsNamedAndAppearsAgain) {
  const fs::path path = Write(kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(path, "claude-code");
  const fs::path copy = Write("copy", ClaudeUser("1", R"("one")") + "\n" + ClaudeUser("2", R"("two")") + "\n");
  fs::rename(copy, path);
  WaitFor(3 + 3);
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  WaitFor(3 + 3 + 3);
  Write("unrelated.jsonl", "{}\n");
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_F(FollowTest, EndsWithTheLastState) {
  const fs::path path = Write(kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(path, "claude-code");
  Stop();
  EXPECT_EQ(reports_, 1U);
  EXPECT_EQ(FollowImports(*log_, "none", {}, stop_read_, {}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace turnlog::follow_test
