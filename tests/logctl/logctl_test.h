// What the tests of logctl share: a store of their own and a small history that shows every kind of event.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/logctl/json_value.h"
#include "tests/logctl/program.h"
#include "tests/support/temp_dir.h"
#include "turnlog/log.h"

namespace turnlog {

// Three turns in JSON lines, in the form and order of fields that logctl writes: an inquiry answered, cancelled and
// pending under ids that return; a redacted secret; a refused call; orphans; an unknown kind.
std::string SampleLines();
inline constexpr std::size_t kSampleEvents = 26;

Strings Lines(std::string_view text);

class LogctlTest : public testing::Test {
 protected:
  std::string store() const { return (folder_ / "store").string(); }
  // With this test's store.
  Ran Logctl(Strings words, const std::string& input = {}, Strings environment = {});
  // The same; must end with 0 and say nothing on standard error. Gives standard output.
  std::string Output(const Strings& words, const std::string& input = {});
  JsonValue Json(Strings words, const std::string& input = {});
  // A conversation with these lines in it.
  void Append(const std::string& conversation, const std::string& lines);
  void AppendSample() { Append("sample", SampleLines()); }
  std::string WriteFile(const std::string& name, std::string_view text);
  std::string ReadFile(const std::string& name);
  std::unique_ptr<Log> Open(OpenMode mode, const std::string& holder = {});

  TempDir folder_;
};

// Both in one: how it ended and what it said about it.
MATCHER_P2(FailsWith, exit_code, message, "") {
  *result_listener << "exit code " << arg.exit_code << ", standard error: " << arg.err;
  return arg.exit_code == exit_code && arg.out.empty() &&
         testing::ExplainMatchResult(testing::HasSubstr(message), arg.err, result_listener);
}

}  // namespace turnlog
