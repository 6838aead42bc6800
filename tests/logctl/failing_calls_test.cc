// Every command, with each of its calls on files failing in turn, once or from then on: it ends with an error or its
// result, never by a signal, and afterwards the store is sound. A sample of the calls is tried; TURNLOG_EFFORT=full
// tries all.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGTERM is POSIX
#include <sqlite3.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/logctl/logctl_test.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace turnlog::failing_calls_test {
namespace {

namespace fs = std::filesystem;

std::uint64_t StepFor(std::uint64_t calls) { return SampleStep(calls < 50 ? 3 : 37); }

struct Command {
  std::string name;
  Strings words;
  std::string input;
};

void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

constexpr const char* kMcpCall =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"conversation":"sample"}}})"
    "\n";

constexpr const char* kPrompt = R"({"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"something else"})";

const std::vector<Command> kCommands{
    {"append", {"append", "more"}, SampleLines()},
    {"import_jsonl", {"import", "jsonl", "FOLDER/more.jsonl"}, {}},
    {"import_claude_code", {"import", "claude-code", "SOURCE/claude-code/sound.jsonl"}, {}},
    {"import_codex", {"import", "codex", "SOURCE/codex/sound"}, {}},
    {"import_jp", {"import", "jp", "SOURCE/jp/17750000000-sound"}, {}},
    {"import_gemini", {"import", "gemini", "SOURCE/gemini/sound"}, {}},
    {"import_anthropic", {"import", "anthropic", "SOURCE/anthropic/sound.json"}, {}},
    {"import_opencode", {"import", "opencode", "SOURCE/opencode/storage-sound"}, {}},
    {"import_opencode_database", {"import", "opencode", "FOLDER/opencode.db"}, {}},
    {"import_openai_agents", {"import", "openai-agents", "FOLDER/openai-agents.db"}, {}},
    {"import_langgraph", {"import", "langgraph", "FOLDER/langgraph.db"}, {}},
    {"import_ui_messages", {"import", "ui-messages", "SOURCE/ui-messages/sound.json"}, {}},
    {"import_model_messages", {"import", "model-messages", "SOURCE/model-messages/sound.json"}, {}},
    {"import_openai_chat", {"import", "openai", "SOURCE/openai-chat/sound.json"}, {}},
    {"import_openai_responses", {"import", "openai", "SOURCE/openai-responses/sound.json"}, {}},
    {"import_auto", {"import", "auto", "SOURCE/codex/sound"}, {}},
    {"scan", {"scan", "SOURCE/claude-code"}, {}},
    {"lint", {"lint", "anthropic", "FOLDER/request.json"}, {}},
    {"mcp", {"mcp"}, kMcpCall},
    {"export_jsonl", {"export", "--all", "--format", "jsonl"}, {}},
    {"export_jp", {"export", "--all", "--format", "jp", "--to", "FOLDER/out"}, {}},
    {"sanitize", {"sanitize", "--close-open"}, {}},
    {"scavenge", {"scavenge"}, {}},
    {"redact", {"redact", "--values-stdin"}, "Please write a.txt\n"},
    {"reindex", {"reindex"}, {}},
    {"verify", {"verify"}, {}},
    {"backup", {"backup", "FOLDER/backup"}, {}},
    {"restore", {"restore", "FOLDER/backup-before", "FOLDER/restored"}, {}},
    {"ls", {"ls"}, {}},
    {"cat", {"cat", "sample"}, {}},
    {"search", {"search", "write"}, {}},
    {"pending", {"pending"}, {}},
    {"show", {"show", "sample"}, {}},
    {"tail", {"tail"}, {}},
    {"get", {"get", "sample", "call_1.overwrite.1"}, {}},
    {"state", {"state", "sample"}, {}},
    {"denials", {"denials", "sample"}, {}},
    {"stats", {"stats"}, {}},
    {"repairs", {"repairs", "sample"}, {}},
    {"provenance", {"provenance", "sample"}, {}},
    {"usage", {"usage"}, {}},
    {"answer", {"answer", "with-question", "t.q.1", "--value", "true"}, {}},
    {"cancel", {"cancel", "with-question", "--all"}, {}},
    {"export_html", {"export", "sample", "--format", "html", "--to", "FOLDER/out"}, {}},
    {"resume", {"resume", "sample", "--in", "claude-code", "--home", "FOLDER/out", "--cwd", "FOLDER"}, {}},
    {"store_init", {"store", "init", "FOLDER/out"}, {}},
    {"store_copy", {"store", "copy", "FOLDER/copy", "FOLDER/out"}, {}},
    {"token", {"token", "add", "phone"}, {}},
    {"hook", {"hook", "install", "claude-code", "--settings", "FOLDER/out"}, {}},
    {"hook_event", {"hook", "claude-code"}, kPrompt},
};

// A question that waits for its answer.
constexpr const char* kWaiting = R"({"type":"turn_start"}
{"type":"chat_request","content":"hello"}
{"type":"tool_call_request","id":"t","name":"ask","arguments":{}}
{"type":"inquiry_request","id":"t.q.1","key":{"tool_call":"t","question":"q","attempt":1},"source":{"source":"tool","name":"ask"},"question":{"text":"Really?","answer_type":{"type":"boolean"}}}
)";

class FailingCallsTest : public LogctlTest, public testing::WithParamInterface<Command> {
 protected:
  void SetUp() override {
    AppendSample();
    Output({"append", "with-question"}, kWaiting);
    WriteFile("more.jsonl", SampleLines());
    WriteFile("request.json", R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"}]})");
    Output({"backup", (folder_ / "backup-before").string()});
    for (const char* name : {"opencode", "openai-agents", "langgraph"}) {
      if (GetParam().words.back() == fmt::format("FOLDER/{}.db", name)) MakeDatabase(name);
    }
  }

  // Of tests/fixtures/damaged/<name>.sql.
  void MakeDatabase(const std::string& name) {
    std::ostringstream sql;
    sql << std::ifstream(SourceDir() / "tests/fixtures/damaged" / (name + ".sql")).rdbuf();
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / (name + ".db")).c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.str().c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  fs::path copy() const { return folder_ / "copy"; }

  void MakeCopy() {
    for (const char* name : {"copy", "out", "backup", "restored"}) fs::remove_all(folder_ / name);
    fs::copy(store(), copy(), fs::copy_options::recursive);
  }

  // The word with FOLDER or SOURCE at its beginning replaced.
  std::string Located(const std::string& word) const {
    if (word.starts_with("FOLDER")) return folder_.path().string() + word.substr(6);
    return word.starts_with("SOURCE") ? (SourceDir() / "tests/fixtures/damaged").string() + word.substr(6) : word;
  }

  Ran RunCommand(const Strings& environment) {
    Strings words{"--store", copy().string()};
    for (const std::string& word : GetParam().words) {
      words.push_back(Located(word));
    }
    Strings all{"LD_PRELOAD=" FAILING_CALLS, "TMPDIR=" + folder_.path().string()};
    all.insert(all.end(), environment.begin(), environment.end());
    return RunProgram(words, GetParam().input, all);
  }

  std::uint64_t CountCalls() {
    MakeCopy();
    const std::string file = (folder_ / "calls").string();
    const Ran ran = RunCommand({"TURNLOG_COUNT_CALLS=" + file});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::uint64_t calls = 0;
    std::ifstream(file) >> calls;
    return calls;
  }

  // Returns whether the command failed.
  bool RunWithFailing(const std::string& call) {
    SCOPED_TRACE("failing call " + call);
    MakeCopy();
    const Ran ran = RunCommand({"TURNLOG_FAIL_CALL=" + call});
    EXPECT_LT(ran.exit_code, 128) << ran.err;
    EXPECT_TRUE(ran.exit_code == 0 || !ran.err.empty() || !ran.out.empty()) << "it failed without a word";
    const Ran verified = RunProgram({"--store", copy().string(), "verify"});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err << "\nafter: " << ran.err;
    const Ran listed = RunProgram({"--store", copy().string(), "cat", "sample", "--raw"});
    EXPECT_GE(Lines(listed.out).size(), kSampleEvents) << listed.err;
    return ran.exit_code != 0 || ran.out.contains(R"("isError":true)");  // mcp answers on
  }
};

TEST_P(FailingCallsTest, EndInAnErrorAndASoundStore) {
  const std::uint64_t calls = CountCalls();
  ASSERT_GT(calls, 0U) << "the calls are not counted";
  const std::uint64_t step = StepFor(calls);
  std::uint64_t tried = 0, failed = 0;
  for (std::uint64_t call = 1; call <= calls && !HasFailure(); call += step, ++tried) {
    failed += RunWithFailing(std::to_string(call)) ? 1 : 0;
    if (tried % 4 == 0) failed += RunWithFailing(std::to_string(call) + "+") ? 1 : 0;
  }
  EXPECT_GT(failed, tried / 10) << "the failures have no effect";
}

INSTANTIATE_TEST_SUITE_P(Commands, FailingCallsTest, testing::ValuesIn(kCommands),
                         [](const auto& command) { return command.param.name; });

// A service that cannot start ends; one that has started serves until it is told to end. Both leave a sound store.
class FailingServeTest : public LogctlTest {
 protected:
  void SetUp() override { AppendSample(); }

  // Its exit code.
  int Serve(const std::string& environment) {
    fs::remove_all(folder_ / "copy");
    fs::copy(store(), folder_ / "copy", fs::copy_options::recursive);
    Running service({"serve", "--store", (folder_ / "copy").string()}, (folder_ / "errors").string(),
                    {"LD_PRELOAD=" FAILING_CALLS, "TMPDIR=" + folder_.path().string(), environment});
    if (!service.ReadLine().empty()) service.Signal(SIGTERM);
    return service.Wait();
  }
};

TEST_F(FailingServeTest, EndsInAnErrorAndASoundStore) {
  const std::string file = (folder_ / "calls").string();
  ASSERT_EQ(Serve("TURNLOG_COUNT_CALLS=" + file), 0) << ReadFile("errors");
  std::uint64_t calls = 0, failed = 0;
  std::ifstream(file) >> calls;
  ASSERT_GT(calls, 10U) << "the calls are not counted";
  for (std::uint64_t call = 1; call <= calls && !HasFailure(); call += StepFor(calls)) {
    for (const std::string_view extent : {"", "+"}) {
      SCOPED_TRACE(fmt::format("failing call {}{}", call, extent));
      const int code = Serve(fmt::format("TURNLOG_FAIL_CALL={}{}", call, extent));
      EXPECT_LT(code, 128) << ReadFile("errors");
      failed += code != 0 ? 1 : 0;
      const Ran verified = RunProgram({"--store", (folder_ / "copy").string(), "verify"});
      EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err << "\nafter: " << ReadFile("errors");
    }
  }
  EXPECT_GT(failed, 0U) << "the failures have no effect";
}

// A hook that asks: it ends, with the answer or without a decision, and leaves a sound store.
class FailingHookTest : public LogctlTest {
 protected:
  FailingHookTest() {
    service_ = std::make_unique<Running>(Strings{"serve", "--store", store()});
    EXPECT_FALSE(service_->ReadLine().empty());
    answerer_ = std::jthread([this](const std::stop_token& stop) { AnswerAll(stop); });
  }

  // Allows each call that waits for its approval.
  void AnswerAll(const std::stop_token& stop) {
    const auto log = Open(OpenMode::kRead);
    const auto tail = Must(log->Follow({}));
    while (!stop.stop_requested()) {
      if (!Must(tail->Wait(std::chrono::milliseconds(100)))) continue;
      std::set<std::string> asked;
      for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
        const auto* record = std::get_if<Record>(&item);
        if (record != nullptr && record->kind == EventKind::kInquiryRequest) asked.emplace(record->conversation);
      }
      for (const std::string& conversation : asked) {
        (void)Logctl({"answer", conversation, "--value", "yes"});  // fails if the hook has given up
      }
    }
  }

  Ran Ask(const std::string& session, const std::string& environment) {
    const std::string event =
        fmt::format(R"({{"session_id":"{}","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash",)"
                    R"("tool_input":{{"command":"ls"}}}})",
                    session);
    return RunProgram({"--store", store(), "hook", "claude-code"}, event,
                      {"LD_PRELOAD=" FAILING_CALLS, "TMPDIR=" + folder_.path().string(), environment});
  }

  std::unique_ptr<Running> service_;
  std::jthread answerer_;  // ends before the service
};

TEST_F(FailingHookTest, EndsWithTheAnswerOrWithoutADecision) {
  constexpr const char* kAllow =
      R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}})"
      "\n";
  const std::string file = (folder_ / "calls").string();
  ASSERT_EQ(Ask("counted", "TURNLOG_COUNT_CALLS=" + file).out, kAllow);
  std::uint64_t calls = 0, undecided = 0;
  std::ifstream(file) >> calls;
  ASSERT_GT(calls, 5U) << "the calls are not counted";
  for (std::uint64_t call = 1; call <= calls && !HasFailure(); call += StepFor(calls)) {
    for (const std::string_view extent : {"", "+"}) {
      if (extent == "+" && call % 5 != 1) continue;  // it looks for the service for ten seconds
      SCOPED_TRACE(fmt::format("failing call {}{}", call, extent));
      const Ran ran = Ask(fmt::format("{}{}", call, extent), fmt::format("TURNLOG_FAIL_CALL={}{}", call, extent));
      EXPECT_LT(ran.exit_code, 128) << ran.err;
      EXPECT_TRUE(ran.out.empty() || ran.out == kAllow) << ran.out;
      undecided += ran.out.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(undecided, 0U) << "the failures have no effect";
  service_->Signal(SIGTERM);
  EXPECT_EQ(service_->Wait(), 0);
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

// A session that is replaced is the old one or the mended one, and no byte of the old one is gone.
TEST(FailingDoctorTest, LeavesTheOldSessionOrTheMendedOne) {
  const auto text = [](const fs::path& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  };
  const TempDir folder;
  const fs::path sample = SourceDir() / "tests/fixtures/damaged/claude-code/orphaned-call.jsonl";
  const fs::path session = folder / "a.jsonl", calls_file = folder / "calls";
  const std::string old_text = text(sample);
  const auto run = [&](const std::string& environment) {
    for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
    fs::copy_file(sample, session);
    return RunProgram({"doctor", "--in-place", "--idle", "0", "--no-secrets", "--jobs", "1", session.string()}, {},
                      {"LD_PRELOAD=" FAILING_CALLS, "TMPDIR=" + folder.path().string(), environment});
  };
  ASSERT_EQ(run("TURNLOG_COUNT_CALLS=" + calls_file.string()).exit_code, 0);
  const std::string mended = text(session);
  ASSERT_NE(mended, old_text);
  std::uint64_t calls = 0;
  std::ifstream(calls_file) >> calls;
  ASSERT_GT(calls, 10U) << "the calls are not counted";
  const std::uint64_t step = StepFor(calls);
  for (std::uint64_t call = 1; call <= 2 * calls; call += step) {
    const std::string number = call <= calls ? std::to_string(call) : std::to_string(call - calls) + "+";
    const Ran ran = run("TURNLOG_FAIL_CALL=" + number);
    EXPECT_LT(ran.exit_code, 128) << ran.err;
    EXPECT_TRUE(ran.exit_code == 0 || !ran.err.empty()) << number << ": it failed without a word";
    EXPECT_THAT(text(session), testing::AnyOf(old_text, mended)) << number;
    const std::string backup = session.string() + "." + std::to_string(old_text.size()) + ".before-doctor";
    EXPECT_TRUE(text(session) == old_text || text(backup) == old_text) << number;
  }
}

}  // namespace
}  // namespace turnlog::failing_calls_test
