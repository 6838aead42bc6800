// Commands print the same with and without a running service. A new command must be entered here.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/logctl/logctl_test.h"

namespace turnlog::beside_service_test {
namespace {

namespace fs = std::filesystem;

// Command lines of each command that uses a store; bash runs them in the test's folder, with `store` as the store.
const std::map<std::string, Strings> kUses{
    {"answer", {"answer sample --value yes", "answer sample --value yes --json", "answer nowhere --value yes"}},
    {"append", {"append new < sample.jsonl", "append sample --json < sample.jsonl", "append new < store/FORMAT"}},
    {"backup", {"backup copy"}},
    {"cancel", {"cancel sample --all", "cancel sample", "cancel sample --all --decline --json"}},
    {"cat", {"cat sample", "cat sample --raw", "cat nowhere"}},
    {"denials", {"denials sample", "denials sample --last-turn --json"}},
    {"export", {"export --all --format jsonl", "export sample --format markdown"}},
    {"get", {"get sample call_1.overwrite.1", "get sample none --json"}},
    {"import", {"import jsonl sample.jsonl", "import auto sample.jsonl --json"}},
    {"ls", {"ls", "ls --json", "ls --store none"}},
    {"mcp",
     {R"(mcp <<< '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"conversation":"sample"}}}')"}},
    {"pending", {"pending", "pending --json"}},
    {"provenance", {"provenance sample", "provenance sample --json"}},
    {"redact",
     {"redact --secrets --dry-run --report",
      "redact --secrets",
      "redact --values-stdin <<< 'it is old'",
      "redact --secrets --all --by ann && logctl cat sample --raw | tail -1",
      "redact --inquiry call_1.overwrite.1 --turn 1 --conversation sample && logctl cat sample | grep -v "
      "type...redaction",
      "redact --inquiry call_1.overwrite.1 --turn 2",
      "redact --inquiry none",
      "redact --inquiry x --conversation none",
      R"(redact --values-stdin --null < <(printf 'it is old\0two\nlines\0\xff\xfe binary \xfd\0abc\0'))",
      "redact --value-file sample.jsonl",
      "redact --values-stdin <<< sample",
      "redact --values-stdin <<< call_1",
      "redact --detect --report && logctl redact --detect --report",
      "redact --detect --rules rules.json",
      "redact --detect --rules <(cat rules.json) --explain | sed 's/^[^ ]*  test/ID  test/'",
      "redact --detect --rules sample.jsonl",
      "redact --detect --rules none.json",
      "redact --detect --rules rules.json --dry-run --write-baseline base; logctl redact --detect --rules rules.json "
      "--baseline base",
      "redact --detect --baseline sample.jsonl",
      R"x(redact --detect --explain --json --rules rules.json --values-stdin <<< written | sed -E 's/"(fingerprint|time|bytes|index_entries)": [^,]*/\1/')x"}},
    {"reindex", {"reindex", "reindex --json", "reindex -q && logctl verify", "reindex --store none"}},
    {"repairs", {R"(sanitize -q; logctl repairs sample | sed 's/20[0-9-]* [0-9:]*/TIME/')"}},
    {"resume", {"resume sample claude-code --dry-run --home . --cwd ."}},
    {"sanitize", {"sanitize", "sanitize --dry-run --json", "sanitize --close-open"}},
    {"scavenge",
     {"scavenge", "sanitize -q; logctl scavenge --json", "sanitize -q; logctl scavenge; logctl scavenge",
      "sanitize -q; logctl scavenge sample && logctl cat sample --raw | head -26", "scavenge none",
      "sanitize -q; logctl scavenge --dry-run"}},
    {"search", {"search a", "search a --json", "search a --count --raw"}},
    {"show", {"show sample", "show sample --raw --json"}},
    {"state", {"state sample", "state sample --json"}},
    {"stats", {"stats", "stats --json"}},
    {"store",
     {"store init", "store copy store other", "store set --compression small && logctl stats",
      "store set --compression small --json"}},
    {"tail", {"tail", "tail --json"}},
    {"token", {"token list", "token add x > /dev/null; logctl token list | cut -c 1-20", "token remove x"}},
    {"usage", {"usage", "usage --by conversation --json"}},
    {"verify", {"verify", "verify --json"}},
};

// Why others are not among them.
const std::map<std::string, std::string> kOthers{
    {"completion", "uses no store"},
    {"doctor", "uses no store"},
    {"explain", "uses no store"},
    {"lint", "uses no store"},
    {"manual", "uses no store"},
    {"scan", "uses no store"},
    {"hook", "is for a service: without one it does nothing"},
    {"restore", "creates a store"},
    {"serve", "is the service"},
};

class BesideServiceTest : public LogctlTest {
 protected:
  BesideServiceTest() {
    AppendSample();
    WriteFile("sample.jsonl", SampleLines());
    WriteFile("rules.json",
              R"({"version":1,"rules":[{"id":"test-request","description":"A request","regex":"Please [a-z]+ [a-z.]+",)"
              R"("keywords":["please"]}]})");
    fs::copy(store(), folder_ / "pristine", fs::copy_options::recursive);
  }

  // What the command line prints, and its exit code.
  std::string Transcript(const std::string& line) {
    fs::remove_all(store());
    for (const char* made : {"copy", "other"}) fs::remove_all(folder_ / made);
    fs::copy(folder_ / "pristine", store(), fs::copy_options::recursive);
    std::unique_ptr<Running> service;
    if (served_) {
      service = std::make_unique<Running>(Strings{"serve", "--store", store()});
      EXPECT_THAT(service->ReadLine(), testing::HasSubstr("serving at"));
    }
    const Ran ran = RunShell("bash", "logctl() { command \"$0\" \"$@\"; }; export TURNLOG_STORE=store; cd '" +
                                         folder_.path().string() + "' && logctl " + line);
    return line + "\n" + ran.out + "-- messages\n" + ran.err + "-- exit code " + std::to_string(ran.exit_code) + "\n";
  }

  bool served_ = false;
};

TEST_F(BesideServiceTest, EveryCommandPrintsTheSame) {
  for (const auto& [command, lines] : kUses) {
    for (const std::string& line : lines) {
      served_ = false;
      const std::string alone = Transcript(line);
      served_ = true;
      EXPECT_EQ(Transcript(line), alone);
    }
  }
}

TEST_F(BesideServiceTest, EveryCommandIsListedHere) {
  std::set<std::string> listed;
  for (const auto& [command, lines] : kUses) listed.insert(command);
  for (const auto& [command, reason] : kOthers) listed.insert(command);
  EXPECT_EQ(listed, Commands());
}

}  // namespace
}  // namespace turnlog::beside_service_test
