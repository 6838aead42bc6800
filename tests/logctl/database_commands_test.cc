// Commands do in a database what they do in a folder: the same output, exit code and contents afterwards.
#include <filesystem>

#include "tests/logctl/logctl_test.h"
#include "tests/support/postgres_server.h"
#include "tests/support/source_dir.h"

namespace turnlog::database_commands_test {
namespace {

// bash runs each in the test's folder, after `sample.jsonl` was appended to the conversation `sample`.
constexpr const char* kLines[] = {
    "answer sample --value yes --json",
    "append new --json < sample.jsonl",
    "append sample --expect 3 < sample.jsonl",
    "cancel sample --all --decline --json",
    "cat sample --raw",
    "cat sample --last-turns 1 --reverse",
    "denials sample --last-turn --json",
    "export --all --format jsonl",
    "export sample --format markdown",
    "export sample --format anthropic",
    "get sample call_1.overwrite.1 --json",
    "import auto histories --json; logctl import auto histories --json",
    "import jsonl sample.jsonl",
    "import jp histories/jp; logctl sanitize --json; logctl repairs 17766702000; logctl export --all --format jsonl",
    "ls --json",
    R"(mcp <<< '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"conversation":"sample"}}}')",
    "pending --json",
    "provenance sample --json",
    "redact --secrets --dry-run --report",
    "redact --secrets",
    "redact --values-stdin <<< 'it is old'",
    "redact --inquiry call_1.overwrite.1 --turn 1 --conversation sample",
    "redact --inquiry none",
    "redact --detect --report",
    "resume sample claude-code --dry-run --home . --cwd .",
    "sanitize --close-open --json",
    "sanitize --dry-run --json",
    "sanitize -q; logctl scavenge --json",
    "search a --json",
    "show sample",
    "state sample --json",
    "tail --json",
    "usage --by conversation --json",
};

class DatabaseCommandsTest : public LogctlTest {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    WriteFile("sample.jsonl", SampleLines());
    std::filesystem::copy(SourceDir() / "examples/histories", folder_ / "histories",
                          std::filesystem::copy_options::recursive);
  }

  // What the line prints, and what is in the store then. Ids of records, the time of now, and how much a proof has read
  // differ.
  std::string Transcript(const std::string& location, const std::string& line) {
    const std::string words = "logctl() { command \"$0\" \"$@\"; }; export TURNLOG_STORE='" + location + "'; cd '" +
                              folder_.path().string() + "'; logctl append sample -q < sample.jsonl > /dev/null; ";
    const Ran ran =
        RunShell("bash", words + "{ logctl " + line + "\n} 2> messages; echo exit code $?; logctl cat --raw sample");
    EXPECT_EQ(ran.err, "") << line;
    return RunShell("bash", "sed -E 's/" + kNow + "/TIME/g; s/" + kRandom +
                                "/ID/g; s/^proof .* read/proof/' <<'END'\n" + ran.out + "\nEND")
        .out;
  }

  const std::string kNow = "20(2[6-9]|[3-9][0-9])-[0-9][0-9]-[0-9][0-9][T ][0-9:.]+Z?";
  const std::string kRandom = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}";
};

TEST_F(DatabaseCommandsTest, DoTheSameAsInAFolder) {
  for (std::size_t i = 0; i < std::size(kLines); ++i) {
    SCOPED_TRACE(kLines[i]);
    const PostgresSchema schema;
    const std::string inside = Transcript(schema.Url(), kLines[i]);
    EXPECT_EQ(inside, Transcript((folder_ / std::to_string(i)).string(), kLines[i]));
  }
}

}  // namespace
}  // namespace turnlog::database_commands_test
