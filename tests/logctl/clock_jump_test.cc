// A wall clock that is set while a question waits, in the service and in the hook: what has a deadline keeps it.
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include "tests/logctl/logctl_test.h"

namespace turnlog::clock_jump_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAsks =
    R"({"session_id":"s","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}})";
constexpr const char* kYear = "31536000";

class ClockJumpTest : public LogctlTest {
 protected:
  ClockJumpTest() { SetClock("0"); }

  // By seconds, for all programs that are started with environment_. A reader sees the old file or the new one.
  void SetClock(const std::string& seconds) { std::filesystem::rename(WriteFile("next", seconds), folder_ / "clock"); }
  std::future<Ran> Hook(const std::string& timeout) {
    return std::async(std::launch::async, [this, timeout] {
      return Logctl({"hook", "claude-code", "--timeout", timeout}, kAsks, environment_);
    });
  }
  std::size_t Pending() { return Json({"pending"})["pending"].Size(); }
  // False: the hook has ended before its question was seen.
  bool AwaitQuestion(const std::future<Ran>& hook) {
    while (hook.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (Pending() == 1) return true;
      std::this_thread::yield();
    }
    return false;
  }

  const Strings environment_{"LD_PRELOAD=" JUMPING_CLOCK, "TURNLOG_CLOCK_FILE=" + (folder_ / "clock").string()};
};

TEST_F(ClockJumpTest, TheClockOfAProgramIsAsTheTestSetsIt) {
  SetClock(kYear);
  Running service({"serve", "--store", store()}, {}, environment_);
  ASSERT_THAT(service.ReadLine(), HasSubstr("serving at"));
  const std::string since = ReadFile("store/LOCK");
  const int year = std::stoi(since.substr(since.find("since ") + 6, 4));
  EXPECT_GT(year, std::stoi(RunShell("bash", "date -u +%Y").out));
}

TEST_F(ClockJumpTest, AQuestionOutlivesAClockThatJumpsOverItsDeadline) {
  Running service({"serve", "--store", store()}, {}, environment_);
  ASSERT_THAT(service.ReadLine(), HasSubstr("serving at"));
  auto hook = Hook("3600");
  ASSERT_TRUE(AwaitQuestion(hook));
  for (const std::string& jump : {std::string(kYear), "-" + std::string(kYear), std::string("0")}) {
    SetClock(jump);
    // Wakes the one who waits, who looks at the time then.
    const Ran append = Logctl({"append", "s/live"}, "{\"type\":\"x.note\"}\n", environment_);
    EXPECT_EQ(append.exit_code, 0);
    EXPECT_EQ(Pending(), 1U) << jump;
  }
  SetClock(kYear);
  Output({"answer", "s/live", "--value", "yes", "-q"});
  EXPECT_THAT(hook.get().out, HasSubstr(R"("behavior":"allow")"));
}

TEST_F(ClockJumpTest, AQuestionEndsAtItsDeadlineAlthoughTheClockIsSetBack) {
  Running service({"serve", "--store", store()}, {}, environment_);
  ASSERT_THAT(service.ReadLine(), HasSubstr("serving at"));
  auto hook = Hook("2");
  AwaitQuestion(hook);
  SetClock(std::string("-") + kYear);
  const Ran ended = hook.get();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, IsEmpty()) << "the tool asks by itself";
  EXPECT_EQ(Pending(), 0U);
  EXPECT_THAT(Output({"cat", "s/live"}), HasSubstr("expired"));
}

}  // namespace
}  // namespace turnlog::clock_jump_test
