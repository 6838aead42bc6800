// Many writers at once: threads of one handle, and processes where an engine allows several.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/log_conformance/conformance.h"

namespace turnlog::writers_test {
namespace {

constexpr int kThreads = 8, kProcesses = 4, kEach = 12;

class ManyWritersTest : public ConformanceTest {
 protected:
  // The conversation is dense, and has each text once.
  void ExpectEachOnce(std::string_view conversation, std::size_t events) {
    std::set<std::string> texts;
    const std::vector<std::string> lines = Lines(*log_, conversation);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_TRUE(lines[i].starts_with(std::to_string(i + 1) + " ")) << lines[i];
      texts.insert(lines[i].substr(lines[i].rfind(' ')));
    }
    EXPECT_EQ(lines.size(), events);
    EXPECT_EQ(texts.size(), events);
  }
};

TEST_P(ManyWritersTest, ThreadsShareAHandle) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const AppendOptions options = i % 2 == 0 ? AppendOptions() : kBuffered;
        Must(log_->Append(Id(std::to_string(i % 3)), Say(std::to_string(thread * kEach + i)), options));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char* conversation : {"0", "1", "2"}) ExpectEachOnce(conversation, kThreads * kEach / 3);
  Reopen();
  for (const char* conversation : {"0", "1", "2"}) ExpectEachOnce(conversation, kThreads * kEach / 3);
  EXPECT_EQ(store_->Check(), "");
}

TEST_P(ManyWritersTest, AnEventIdIsWrittenOnceAndAnExpectedSeqHasOneWinner) {
  std::atomic<int> written = 0, won = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(i);
        written += Must(log_->Append(Id("ids"), Named(id, Say(id)))).events.front().repeated ? 0 : 1;
      }
      for (std::uint64_t last = 0; last < kEach;) {
        const auto appended = log_->Append(Id("seqs"), Say("x"), {.expected_last = Seq{last}});
        won += appended ? 1 : 0;
        last = appended ? last + 1 : appended.error().last_seq.value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, kEach);
  ExpectEachOnce("ids", kEach);
  EXPECT_EQ(Must(log_->Info(Id("seqs"))).last.value, static_cast<std::uint64_t>(won));
}

TEST_P(ManyWritersTest, ProcessesAppendToOneConversation) {
  if (!log_->capabilities().many_writers) GTEST_SKIP() << "one process writes";
  std::vector<pid_t> processes;
  for (int process = 0; process < kProcesses; ++process) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    const auto log = store_->Open(OpenMode::kWrite);
    bool fine = log.has_value();
    for (int i = 0; fine && i < kEach; ++i) {
      fine = (*log)->Append(Id("a"), Say(std::to_string(process * kEach + i))).has_value();
    }
    ::_exit(fine ? 0 : 1);
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  ExpectEachOnce("a", kProcesses * kEach);
}

TURNLOG_FOR_ALL_ENGINES(ManyWritersTest);

}  // namespace
}  // namespace turnlog::writers_test
