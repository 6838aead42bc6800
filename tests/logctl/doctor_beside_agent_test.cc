// `logctl doctor --in-place` beside an agent that appends to its session: nothing that was appended is lost.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <random>
#include <thread>
#include <utility>

#include "tests/logctl/logctl_test.h"
#include "tests/support/effort.h"
#include "tests/support/source_dir.h"

namespace turnlog::doctor_beside_agent_test {
namespace {

namespace fs = std::filesystem;

// What happens in a folder while a process runs there.
class FolderEvents {
 public:
  FolderEvents(const fs::path& folder, pid_t process)
      : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
        process_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {
    EXPECT_GE(::inotify_add_watch(events_, folder.c_str(), IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_OPEN), 0);
    EXPECT_GE(process_, 0);
  }
  ~FolderEvents() {
    ::close(events_);
    ::close(process_);
  }
  FolderEvents(const FolderEvents&) = delete;
  FolderEvents& operator=(const FolderEvents&) = delete;

  // Waits for more of them, or for the end of the process.
  void Wait() {
    std::array<pollfd, 2> both{{{events_, POLLIN, 0}, {process_, POLLIN, 0}}};
    ASSERT_GE(::poll(both.data(), both.size(), -1), 1);
    std::array<char, 4096> buffer{};
    (void)::read(events_, buffer.data(), buffer.size());
  }

  bool HasEnded() const {
    pollfd end{process_, POLLIN, 0};
    return ::poll(&end, 1, 0) == 1;
  }

 private:
  int events_, process_;
};

// Appends a record for each call, with one descriptor or one for each record.
class Agent {
 public:
  Agent(fs::path session, bool keeps) : session_(std::move(session)), keeps_(keeps) {}
  ~Agent() { Close(); }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  void Append() {
    if (fd_ < 0) fd_ = ::open(session_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    const std::string line = LineOf(lines_++);
    ASSERT_EQ(::write(fd_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    if (!keeps_) Close();
  }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  // All that was appended is in the text, and nothing twice.
  void ExpectAllIn(std::string_view text) const {
    for (int i = 0; i < lines_; ++i) {
      const std::string line = LineOf(i);
      const std::size_t at = text.find(line);
      ASSERT_NE(at, std::string_view::npos) << line << " is lost";
      ASSERT_EQ(text.find(line, at + 1), std::string_view::npos) << line << " is there twice";
    }
  }
  int lines() const { return lines_; }

 private:
  static std::string LineOf(int number) {
    return fmt::format(R"({{"type":"ai-title","aiTitle":"Title {}.","sessionId":"{}"}})"
                       "\n",
                       number, "0b8c5d1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e");
  }

  const fs::path session_;
  const bool keeps_;
  int fd_ = -1, lines_ = 0;
};

class DoctorBesideAgentTest : public LogctlTest, public testing::WithParamInterface<bool> {
 protected:
  static Strings Words(const fs::path& session) {
    return {"doctor", "--in-place", "--idle", "0", "--no-secrets", session.string()};
  }

  // The agent begins after some events and appends some records. Its descriptor may outlive the doctor.
  static void AppendBeside(const Running& doctor, Agent& agent, const fs::path& folder, std::mt19937_64& random) {
    FolderEvents events(folder, doctor.id());
    for (std::uint64_t wait = random() % 10; wait > 0 && !events.HasEnded(); --wait) events.Wait();
    const bool to_the_end = random() % 8 == 0, closes = random() % 3 > 0;
    for (std::uint64_t left = 1 + random() % 30; left > 0; --left) agent.Append();
    while (to_the_end && !events.HasEnded()) {
      agent.Append();
      std::this_thread::yield();
    }
    if (closes) agent.Close();
  }
};

// The scheduler decides how the two meet; what is asserted holds for every order.
TEST_P(DoctorBesideAgentTest, LosesNothingThatIsAppended) {
  const std::uint64_t runs = SampleSize(12, 1000);
  std::uint64_t replaced = 0, carried = 0, lines = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    std::mt19937_64 random(run);
    const fs::path folder = folder_ / fmt::format("{}", run), session = folder / "a.jsonl";
    fs::create_directory(folder);
    fs::copy_file(SourceDir() / "tests/fixtures/damaged/claude-code/orphaned-call.jsonl", session);
    Agent agent(session, GetParam());
    {
      Running doctor(Words(session), (folder / "errors").string());
      AppendBeside(doctor, agent, folder, random);
      const int code = doctor.Wait();
      ASSERT_TRUE(code == 0 || code == 4) << code << ReadFile(fmt::format("{}/errors", run));
      for (std::string line = doctor.ReadLine(); !line.empty(); line = doctor.ReadLine())
        carried += line.contains("carried over") ? 1 : 0;
      replaced += ReadFile(fmt::format("{}/a.jsonl", run)).contains("tool_result") ? 1 : 0;
    }
    agent.Append();  // after everything
    agent.Close();
    const Ran again = RunProgram(Words(session));
    ASSERT_EQ(again.exit_code, 0) << again.err;
    carried += again.out.contains("carried over") ? 1 : 0;
    agent.ExpectAllIn(ReadFile(fmt::format("{}/a.jsonl", run)));
    if (HasFatalFailure()) return;
    lines += static_cast<std::uint64_t>(agent.lines());
    ASSERT_EQ(RunProgram({"doctor", "--check", "--no-secrets", session.string()}).exit_code, 0);
    fs::remove_all(folder);
  }
  std::cout << runs << " runs, " << replaced << " replaced at once, " << lines << " records appended, in " << carried
            << " runs to the old file\n";
}

INSTANTIATE_TEST_SUITE_P(Agents, DoctorBesideAgentTest, testing::Bool(), [](const auto& keeps) {
  return std::string(keeps.param ? "ThatKeepTheDescriptor" : "ThatOpenForEachRecord");
});

}  // namespace
}  // namespace turnlog::doctor_beside_agent_test
