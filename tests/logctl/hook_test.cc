// `hook` as the tools run it: a process for each event, beside a service in another one.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGKILL is POSIX

#include <filesystem>
#include <thread>

#include "tests/logctl/logctl_test.h"

namespace turnlog::hook_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAsks =
    R"({"session_id":"s","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}})";

class HookTest : public LogctlTest {
 protected:
  // The service of this test's store.
  std::unique_ptr<Running> Serve() {
    auto service = std::make_unique<Running>(Strings{"serve", "--store", store()});
    EXPECT_THAT(service->ReadLine(), HasSubstr("serving at"));
    return service;
  }
  void AwaitPending(std::size_t count) {
    while (Json({"pending"})["pending"].Size() != count) std::this_thread::yield();
  }
};

TEST_F(HookTest, AnAnswerInAnotherProcessGoesBackToTheTool) {
  const auto service = Serve();
  Ran hook;
  std::thread tool([&] { hook = Logctl({"hook", "claude-code"}, kAsks); });
  AwaitPending(1);
  Output({"answer", "s/live", "--value", "yes", "-q"});
  tool.join();
  EXPECT_EQ(hook.exit_code, 0);
  EXPECT_EQ(hook.out, R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}})"
                      "\n");
  EXPECT_THAT(hook.err, IsEmpty());
}

TEST_F(HookTest, AHookThatIsKilledLeavesAQuestionThatTheNextPromptCloses) {
  const auto service = Serve();
  WriteFile("event.json", kAsks);
  const std::string run =
      "exec \"$0\" hook claude-code --store '" + store() + "' < '" + (folder_ / "event.json").string() + "'";
  Ran hook;
  std::thread tool([&] { hook = RunShell("bash", "echo $$ > '" + (folder_ / "pid").string() + "'; " + run); });
  AwaitPending(1);
  ASSERT_EQ(::kill(std::stoi(ReadFile("pid")), SIGKILL), 0);
  tool.join();
  EXPECT_EQ(Json({"pending"})["pending"].Size(), 1U);
  EXPECT_THAT(Output({"hook", "claude-code"},
                     R"({"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"something else"})"),
              IsEmpty());
  EXPECT_EQ(Json({"pending"})["pending"].Size(), 0U);
}

TEST_F(HookTest, AHookThatIsEndedClosesItsQuestion) {
  const auto service = Serve();
  WriteFile("event.json", kAsks);
  Ran hook;
  std::thread tool([&] {
    hook = RunShell("bash", "echo $$ > '" + (folder_ / "pid").string() + "'; exec \"$0\" hook claude-code --store '" +
                                store() + "' < '" + (folder_ / "event.json").string() + "'");
  });
  AwaitPending(1);
  ASSERT_EQ(::kill(std::stoi(ReadFile("pid")), SIGTERM), 0);
  tool.join();
  EXPECT_EQ(hook.exit_code, 0);
  EXPECT_THAT(hook.out, IsEmpty());
  EXPECT_THAT(Output({"cat", "s/live"}), HasSubstr(R"("reason":"interrupted")"));
}

TEST_F(HookTest, WithoutAServiceTheToolAsksItself) {
  EXPECT_THAT(Output({"hook", "claude-code"}, kAsks), IsEmpty());
  {
    const auto service = Serve();
  }
  EXPECT_THAT(Output({"hook", "codex"}, kAsks), IsEmpty());
}

TEST_F(HookTest, WhatIsNoEventFailsWithoutADecision) {
  EXPECT_THAT(Logctl({"hook", "claude-code"}, "not an event"), Fails(1));
}

// Exit code 2 is a decision for the tools: what they asked for is not done.
TEST_F(HookTest, AHookThatIsSetUpWronglyFailsWithoutADecision) {
  EXPECT_THAT(RunProgram({"hook", "claude-code"}, kAsks), Fails(1)) << "no store";
  EXPECT_THAT(RunProgram({"hook", "codex", "--store", "postgresql://ann:word@localhost/x"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"hook", "claude-code", "codex"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"hook", "claude-code", "--on-timeout", "allow"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"hook", "claude-code", "--time-out", "5"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"--quit", "hook", "codex"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"hook", "claud"}, kAsks), Fails(1));
  EXPECT_THAT(Logctl({"hook", "install"}), Fails(2));
}

TEST_F(HookTest, InstallChangesOnlyItsEntriesAndKeepsTheFileBefore) {
  const std::string before = "{\n  \"model\": \"x\"\n}\n";
  const std::string file = WriteFile("settings.json", before);
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write |
                                         std::filesystem::perms::group_read);
  const Ran ran = Logctl({"hook", "install", "claude-code", "--settings", file, "--timeout", "5"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, HasSubstr("settings.json"));
  EXPECT_THAT(ReadFile("settings.json"), AllOf(HasSubstr("hook claude-code --store '" + store() + "' --timeout 5\""),
                                               HasSubstr("\"timeout\": 35")));
  EXPECT_EQ(ReadFile("settings.json.before-turnlog"), before);
  EXPECT_EQ(Logctl({"hook", "uninstall", "claude-code", "--settings", file}).exit_code, 0);
  EXPECT_EQ(ReadFile("settings.json"), before);
  const auto mode = std::filesystem::status(file).permissions();
  EXPECT_EQ(mode & std::filesystem::perms::group_read, std::filesystem::perms::group_read);
}

TEST_F(HookTest, InstallFindsTheSettingsAndReplacesTheFileThatALinkLeadsTo) {
  const std::string home = (folder_ / "home").string();
  std::filesystem::create_directories(home + "/.codex");
  WriteFile("hooks.json", "{}");
  std::filesystem::create_symlink(folder_ / "hooks.json", home + "/.codex/hooks.json");
  EXPECT_EQ(Logctl({"hook", "install", "codex"}, {}, {"HOME=" + home}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(home + "/.codex/hooks.json"));
  EXPECT_THAT(ReadFile("hooks.json"), HasSubstr("hook codex"));
  EXPECT_EQ(Logctl({"hook", "install", "claude-code"}, {}, {"HOME=" + home}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home + "/.claude/settings.json"));
  EXPECT_EQ(Logctl({"hook", "install", "codex"}, {}, {"HOME=/", "CODEX_HOME=" + home}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home + "/hooks.json"));
}

TEST_F(HookTest, SettingsThatAreNotJsonStayAsTheyAre) {
  const std::string file = WriteFile("settings.json", "{ // mine\n}\n");
  EXPECT_THAT(Logctl({"hook", "install", "claude-code", "--settings", file}), FailsWith(1, "byte 2"));
  EXPECT_EQ(ReadFile("settings.json"), "{ // mine\n}\n");
}

}  // namespace
}  // namespace turnlog::hook_test
