// Entries in settings that belong to other programs and to people.
#include "turnlog/hooks/hook_settings.h"

#include <gmock/gmock.h>

#include "schema/json/json_scan.h"
#include "tests/support/must.h"

namespace turnlog::hook_settings_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const HookCommand kCommand{
    .program = "/opt/ann's/logctl", .arguments = "--store '/s'", .timeout = std::chrono::seconds(90)};

std::string Install(std::string_view settings, AgentTool tool = AgentTool::kClaudeCode) {
  std::string text = Must(WithHooks(tool, settings, kCommand));
  EXPECT_FALSE(FindJsonFault(text)) << text;
  return text;
}

std::string Uninstall(std::string_view settings, AgentTool tool = AgentTool::kClaudeCode) {
  return Must(WithoutHooks(tool, settings));
}

TEST(HookSettingsTest, AddsAnEntryForEachEvent) {
  const std::string text = Install("");
  for (const char* event : {"SessionStart", "UserPromptSubmit", "PermissionRequest", "PostToolUse",
                            "PostToolUseFailure", "Notification", "Stop", "StopFailure", "SessionEnd"}) {
    EXPECT_THAT(text, HasSubstr("    \"" + std::string(event) + "\": [\n      {\n"));
  }
  EXPECT_THAT(text, HasSubstr(R"("command": "'/opt/ann'\\''s/logctl' hook claude-code --store '/s'",)"
                              "\n            \"timeout\": 120"));
  EXPECT_THAT(
      Install("", AgentTool::kCodex),
      AllOf(HasSubstr("hook codex"), HasSubstr(R"("matcher": "^request_user_input$")"), Not(HasSubstr("SessionEnd"))));
}

TEST(HookSettingsTest, WhatElseIsThereStaysByteForByte) {
  for (const char* settings : {
           "{\n  \"model\" : \"x\"\n}",
           "{\n\t\"model\": \"x\",\n\t\"env\": {\"A\": 1e2}\n}\n",
           R"({"model":"x"})",
           "{ \"a\":1,\n    \"hooks\": {\n        \"Stop\": [ {\"hooks\": [{\"type\":\"command\",\"command\":\"say "
           "hi\"}]} ]\n    },\n"
           "    \"z\": [1, 2]\n}\n",
           "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"logctl hook codex\"}]}]}}",
       }) {
    const std::string text = Install(settings);
    EXPECT_NE(text, settings);
    EXPECT_EQ(Uninstall(text), settings);
  }
}

TEST(HookSettingsTest, InstallingAgainReplacesTheEntries) {
  const std::string text = Install(R"({"model":"x"})");
  EXPECT_EQ(Install(text), text);
  const std::string moved =
      Must(WithHooks(AgentTool::kClaudeCode, text, {.program = "/usr/bin/logctl", .arguments = ""}));
  EXPECT_THAT(moved, AllOf(HasSubstr(R"('/usr/bin/logctl' hook claude-code")"), Not(HasSubstr("ann"))));
  EXPECT_EQ(Uninstall(moved), R"({"model":"x"})");
}

TEST(HookSettingsTest, EntriesOfOthersInOneGroupStay) {
  const std::string_view mixed =
      R"({"hooks":{"Stop":[{"hooks":[{"command":"a"},{"command":"logctl hook claude-code --store x"},{"command":"b"}]}],)"
      R"("Other":[{"hooks":[{"command":"'/x/logctl' hook claude-code"}]}],"Third":[{"hooks":[{"command":"xlogctl hook claude-code"},)"
      R"({"command":"echo hook claude-code"}]}]}})";
  EXPECT_EQ(Uninstall(mixed), R"({"hooks":{"Stop":[{"hooks":[{"command":"a"},{"command":"b"}]}],)"
                              R"("Third":[{"hooks":[{"command":"xlogctl hook claude-code"},)"
                              R"({"command":"echo hook claude-code"}]}]}})");
}

TEST(HookSettingsTest, SettingsThatTheToolWouldNotTakeAreRefused) {
  for (const char* settings : {"{", "[]", "// comment\n{}", R"({"hooks":[]})", R"({"hooks":{"Stop":{}}})", "\xff"}) {
    EXPECT_EQ(WithHooks(AgentTool::kClaudeCode, settings, kCommand).error().code, ErrorCode::kInvalidArgument)
        << settings;
    EXPECT_EQ(WithoutHooks(AgentTool::kClaudeCode, settings).error().code, ErrorCode::kInvalidArgument) << settings;
  }
}

TEST(HookSettingsTest, NothingToRemoveIsNoChange) {
  for (const char* settings :
       {"", " \n", "{}", R"({"hooks":{}})", R"({"hooks":{"Stop":[7,{"hooks":{}},{"hooks":[7]}]}})"}) {
    EXPECT_EQ(Uninstall(settings), settings);
  }
}

}  // namespace
}  // namespace turnlog::hook_settings_test
