// Shared by the tests of logctl: a store for each test, and a small history with every kind of event.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "tests/logctl/json_value.h"
#include "tests/logctl/program.h"
#include "tests/support/temp_dir.h"
#include "turnlog/log.h"

namespace turnlog {

// Three turns in JSON lines, with fields in the order that logctl writes: inquiries answered, cancelled and pending
// under repeated ids; a redacted secret; a denied call; orphans; an unknown kind.
std::string SampleLines();
inline constexpr std::size_t kSampleEvents = 26;

Strings Lines(std::string_view text);
// The names of all commands.
std::set<std::string> Commands();

class LogctlTest : public testing::Test {
 protected:
  std::string store() const { return (folder_ / "store").string(); }
  // With this test's store.
  Ran Logctl(Strings words, const std::string& input = {}, Strings environment = {});
  // The same; must end with 0 and print no message. Returns standard output.
  std::string Output(const Strings& words, const std::string& input = {});
  JsonValue Json(Strings words, const std::string& input = {});
  // Appends these lines.
  void Append(const std::string& conversation, const std::string& lines);
  void AppendSample() { Append("sample", SampleLines()); }
  std::string WriteFile(const std::string& name, std::string_view text);
  std::string ReadFile(const std::string& name);
  std::unique_ptr<Log> Open(OpenMode mode, const std::string& holder = {});

  TempDir folder_;
};

// Ended with this code, printed no data and a message. tests/golden/logctl.txt holds the wording.
MATCHER_P(Fails, exit_code, "") {
  *result_listener << "exit code " << arg.exit_code << ", standard error: " << arg.err;
  return arg.exit_code == exit_code && arg.out.empty() && !arg.err.empty();
}

// The same, with a detail that does not depend on the wording: a file, a line, an id.
MATCHER_P2(FailsWith, exit_code, message, "") {
  *result_listener << "exit code " << arg.exit_code << ", standard error: " << arg.err;
  return arg.exit_code == exit_code && arg.out.empty() &&
         testing::ExplainMatchResult(testing::HasSubstr(message), arg.err, result_listener);
}

}  // namespace turnlog
