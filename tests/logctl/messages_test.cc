// The wording of logctl: tests/golden/logctl.txt, a transcript of commands. A shell runs each line that begins with "$
// ", in order, in one folder; the output, the messages and the exit code follow the line. After a change of wording, or
// to add a command line to the file, run this test with TURNLOG_UPDATE_GOLDEN=1, which rewrites the file, and review
// the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/logctl/logctl_test.h"
#include "tests/support/source_dir.h"

namespace turnlog::messages_test {
namespace {

class MessagesTest : public LogctlTest {
 protected:
  // What the command prints, with FOLDER for the path of the temporary folder.
  std::string Transcript(const std::string& command) {
    const Ran ran =
        RunShell("bash", "set -o pipefail; logctl() { command \"$0\" \"$@\"; }; export TURNLOG_STORE=store; cd '" +
                             folder_.path().string() + "' && " + command);
    std::string text = ran.out + ran.err;
    if (ran.exit_code != 0) text += "[exit code " + std::to_string(ran.exit_code) + "]\n";
    const std::string folder = folder_.path().string();
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
      text.replace(at, folder.size(), "FOLDER");
    return text;
  }
};

TEST_F(MessagesTest, AreThoseOfTheGoldenFile) {
  const std::filesystem::path file = SourceDir() / "tests/golden/logctl.txt";
  std::ostringstream golden;
  golden << std::ifstream(file).rdbuf();
  WriteFile("sample.jsonl", SampleLines());
  std::string now;
  for (const std::string& line : Lines(golden.str())) {
    if (line.starts_with("# ")) now += (now.empty() ? "" : "\n") + line + "\n";
    if (line.starts_with("$ ")) now += line + "\n" + Transcript(line.substr(2));
  }
  if (std::getenv("TURNLOG_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << now;
  EXPECT_EQ(now, golden.str())
      << "if the change is meant: TURNLOG_UPDATE_GOLDEN=1 logctl_test --gtest_filter=MessagesTest.*";
}

}  // namespace
}  // namespace turnlog::messages_test
