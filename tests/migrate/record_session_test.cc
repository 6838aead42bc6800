// Repaired and redacted sessions as the files that their tool resumes: with the bytes of every record that is not
// concerned.
#include "migrate/sessions/record_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <regex>
#include <set>

#include "migrate/sessions/loaded_session.h"
#include "tests/migrate/any_talk.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::record_session_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSession = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

// A session as Claude Code writes it: a record for each block, calls at the same time on branches of their own.
class ClaudeFile {
 public:
  explicit ClaudeFile(std::uint64_t seed) : random_(seed) {}

  void Prompt() { Record("user", leaf_, R"({"role":"user","content":"Go on"})"); }

  // With some of the results missing, repeated, late, or of no call.
  void Message() {
    const std::string id = fmt::format("msg_{}", ++messages_);
    if (random_() % 3 == 0) {
      Block(id, fmt::format(R"({{"type":"thinking","thinking":"Hm.","signature":"{}"}})", TestSignature("s")));
    }
    if (random_() % 2 == 0) Block(id, R"({"type":"text","text":"I look."})");
    std::vector<std::pair<std::string, std::string>> calls;
    for (auto count = random_() % 4; count > 0; --count) {
      const std::string call = fmt::format("toolu_{}", ++calls_);
      Block(id, fmt::format(R"({{"type":"tool_use","id":"{}","name":"ls","input":{{}}}})", call));
      calls.emplace_back(call, leaf_);
    }
    for (const auto& [call, record] : calls) {
      const auto fate = random_() % 8;
      if (fate == 0) continue;
      if (fate == 1) {
        late_.push_back(call);
        continue;
      }
      Result(call, record);
      if (fate == 2) Result(call, leaf_);
      if (fate == 3) Result("toolu_none", leaf_);
    }
  }

  void LateResults() {
    for (const std::string& call : std::exchange(late_, {})) Result(call, leaf_);
  }

  void SideRecord() { lines_.push_back(fmt::format(R"({{"type":"ai-title","sessionId":"{}"}})", kSession)); }

  std::string text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }
  const std::vector<std::string>& lines() const { return lines_; }
  std::mt19937_64& random() { return random_; }

 private:
  void Block(const std::string& message, const std::string& block) {
    Record("assistant", leaf_,
           fmt::format(R"({{"id":"{}","role":"assistant","model":"claude-opus-4-5","content":[{}]}})", message, block));
  }
  void Result(const std::string& call, const std::string& parent) {
    Record("user", parent,
           fmt::format(R"({{"role":"user","content":[{{"tool_use_id":"{}","type":"tool_result","content":"done"}}]}})",
                       call));
  }
  void Record(std::string_view type, const std::string& parent, const std::string& message) {
    const std::string uuid = fmt::format("{:08x}-0000-4000-8000-000000000000", ++records_);
    lines_.push_back(fmt::format(
        R"({{"parentUuid":{},"isSidechain":false,"cwd":"/boat","sessionId":"{}","version":"2.1.9","type":"{}",)"
        R"("message":{},"uuid":"{}","timestamp":"2026-01-02T03:04:05.678Z"}})",
        parent.empty() ? "null" : "\"" + parent + "\"", kSession, type, message, uuid));
    leaf_ = uuid;
  }

  std::mt19937_64 random_;
  std::vector<std::string> lines_, late_;
  std::string leaf_;
  unsigned records_ = 0, messages_ = 0, calls_ = 0;
};

class RecordSessionTest : public ImportTest {
 protected:
  static std::string Export(Log& log, SessionTool tool, const std::string& conversation) {
    std::string text;
    ExportReport report;
    const auto sink = [&](std::string_view piece) { return text += piece, Status(); };
    Must(ExportRecordSession(log, tool, Id(conversation), sink, report));
    return text;
  }

  static void Check(SessionTool tool, const std::string& text) {
    const LoadedSession loaded = Must(LoadSession(tool, text));
    EXPECT_EQ(loaded.unreachable, 0U) << text;
    for (const ProviderFinding& finding : Must(LintRequest(loaded.provider, loaded.messages))) {
      if (finding.rule->verdict == Verdict::kRefused) ADD_FAILURE() << finding.rule->id << " in " << loaded.messages;
    }
  }

  std::filesystem::path File(const std::string& text) { return Write(std::string(kSession) + ".jsonl", text); }

  void ImportFile(std::string_view format, const std::filesystem::path& file) {
    ASSERT_EQ(Must(Import(*log_, format, std::vector{file})).failed, 0U);
  }
};

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string WithoutParent(const std::string& line) {
  static const std::regex kParent("\"parentUuid\":(null|\"[^\"]*\"),");
  return std::regex_replace(line, kParent, "");
}

// Sessions that grow, are imported and repaired again and again.
TEST_F(RecordSessionTest, OfClaudeCodeAreLoadedWholeAndKeepTheirRecords) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    TempStore store;
    ClaudeFile file(seed);
    std::string over;  // the turns that were over in the former export
    for (int turn = 0; turn < 6; ++turn) {
      file.Prompt();
      for (auto count = file.random()() % 4; count > 0; --count) file.Message();
      if (turn == 1) file.LateResults();
      file.SideRecord();
      Must(Import(*store.log, "claude-code", std::vector{File(file.text())}));
      Must(Sanitize(*store.log, Id(kSession), {.durability = Durability::kBuffered}));
      const std::string text = Export(*store.log, SessionTool::kClaude, kSession);
      std::set<std::string> known;
      for (const std::string& line : file.lines()) known.insert(WithoutParent(line));
      for (const std::string& line : Lines(text)) {
        const bool is_new = line.contains("Tool call was interrupted.") || line.contains("toolu_");
        EXPECT_TRUE(known.contains(WithoutParent(line)) || is_new) << line;
      }
      Check(SessionTool::kClaude, text);
      EXPECT_THAT(text, StartsWith(over));
      over = text.substr(0, text.rfind('\n', text.rfind(R"("content":"Go on")")) + 1);
      if (turn < 2) over.clear();  // late results change the turns of their calls
    }
    if (HasFailure()) return;
  }
}

TEST_F(RecordSessionTest, OfClaudeCodeGetAResultAfterTheMessageWithItsCall) {
  const auto record = [](const std::string& uuid, const std::string& parent, const std::string& rest) {
    return fmt::format(R"({{"uuid":"{}","parentUuid":{},"sessionId":"{}","cwd":"/boat",{}}})", uuid,
                       parent.empty() ? "null" : "\"" + parent + "\"", kSession, rest) +
           "\n";
  };
  const auto call = [](const std::string& id) {
    return fmt::format(R"("type":"assistant","message":{{"id":"m","role":"assistant","model":"opus","content":[)"
                       R"({{"type":"tool_use","id":"{}","name":"ls","input":{{}}}}]}})",
                       id);
  };
  const std::string prompt = R"("type":"user","message":{"role":"user","content":"Hi"})";
  const std::string first = record("u", "", prompt) + record("a", "u", call("x")) + record("b", "a", call("y"));
  ImportFile("claude-code", File(first + record("v", "b", prompt)));
  Must(Sanitize(*log_, Id(kSession)));
  const std::string text = Export(*log_, SessionTool::kClaude, kSession);
  EXPECT_THAT(text, StartsWith(first));
  const std::vector<std::string> lines = Lines(text);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_THAT(lines[3], AllOf(StartsWith(R"({"parentUuid":"b","cwd":"/boat","sessionId")"),
                              HasSubstr(R"("tool_use_id":"x")"), HasSubstr(R"("is_error":true)")));
  EXPECT_THAT(lines[4], HasSubstr(R"("tool_use_id":"y")"));
  EXPECT_THAT(lines[5], Not(HasSubstr(R"("parentUuid":"b")"))) << "the prompt follows the results";
  Check(SessionTool::kClaude, text);
}

// Thinking that was changed is not what was signed.
TEST_F(RecordSessionTest, LeaveOutReasoningThatWasRedacted) {
  const std::string thinking = fmt::format(
      R"({{"uuid":"a","parentUuid":"u","sessionId":"{}","type":"assistant","message":{{"id":"m","role":"assistant",)"
      R"("model":"opus","content":[{{"type":"thinking","thinking":"hunter2","signature":"{}"}}]}}}})",
      kSession, TestSignature("s"));
  const auto line = [](const std::string& uuid, const std::string& parent, const std::string& text) {
    return fmt::format(
        R"({{"uuid":"{}","parentUuid":{},"sessionId":"{}","type":"user","message":{{"role":"user","content":"{}"}}}})",
        uuid, parent, kSession, text);
  };
  ImportFile("claude-code",
             File(line("u", "null", "Hi") + "\n" + thinking + "\n" + line("v", "\"a\"", "The key is hunter2") + "\n"));
  std::vector<Event> redacted;
  std::vector<Seq> seqs;
  std::uint64_t seq = 0;
  for (Event& event : Events(kSession)) {
    ++seq;
    auto* response = std::get_if<ChatResponse>(&event.body);
    auto* request = std::get_if<ChatRequest>(&event.body);
    std::string* const content = response != nullptr  ? &response->content
                                 : request != nullptr ? &request->content
                                                      : nullptr;
    if (content == nullptr || !content->contains("hunter2")) continue;
    *content = std::regex_replace(*content, std::regex("hunter2"), "[redacted]");
    redacted.push_back(event);
    seqs.push_back(Seq{seq});
  }
  ASSERT_EQ(redacted.size(), 2U);
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < redacted.size(); ++i) replacements.push_back({seqs[i], View(redacted[i])});
  const Event record{.body = RedactionRecord{.by = "test", .events = 2, .rules = {}}};
  Must(log_->Redact(Id(kSession), replacements, View(record)));
  const std::string text = Export(*log_, SessionTool::kClaude, kSession);
  EXPECT_EQ(text, line("u", "null", "Hi") + "\n" + line("v", "\"u\"", "The key is [redacted]") + "\n");
  Check(SessionTool::kClaude, text);
}

TEST_F(RecordSessionTest, OfCodexHaveOutputsOfTheTypeOfTheirCalls) {
  const auto item = [](const std::string& payload) {
    return R"({"timestamp":"2026-01-02T03:04:05.678Z","type":"response_item","payload":)" + payload + "}\n";
  };
  const std::string meta = fmt::format(
      R"({{"timestamp":"2026-01-02T03:04:05.678Z","type":"session_meta","payload":{{"id":"{}","timestamp":"t","cwd":"/",)"
      R"("originator":"o","cli_version":"1"}}}})"
      "\n",
      kSession);
  const std::string prompt = item(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]})");
  const std::string calls =
      item(R"({"type":"custom_tool_call","call_id":"x","name":"apply_patch","input":"*** Begin"})");
  const std::string more = item(R"({"type":"function_call","call_id":"y","name":"sh","arguments":"{}"})");
  const std::string stray = item(R"({"type":"function_call_output","call_id":"z","output":"none"})");
  ImportFile("codex", Write("rollout-2026-01-02T03-04-05-" + std::string(kSession) + ".jsonl",
                            meta + prompt + calls + more + stray + prompt));
  Must(Sanitize(*log_, Id(kSession)));
  const std::string text = Export(*log_, SessionTool::kCodexCli, kSession);
  const auto closed = [&](const std::string& type, const std::string& id) {
    return item(fmt::format(R"({{"type":"{}","call_id":"{}","output":"Tool call was interrupted."}})", type, id));
  };
  EXPECT_EQ(text, meta + prompt + calls + closed("custom_tool_call_output", "x") + more +
                      closed("function_call_output", "y") + prompt);
  Check(SessionTool::kCodexCli, text);
}

// Turns that were appended in the log follow those that were imported.
TEST_F(RecordSessionTest, GoOnWithWhatWasAppended) {
  ClaudeFile file(1);
  file.Prompt();
  ImportFile("claude-code", File(file.text()));
  for (const Event& event :
       std::vector<Event>{{},
                          {.body = ChatRequest{.content = "More", .author = {}, .schema = {}}},
                          {.body = ToolCallRequest{"c", "ls", Json::FromTrusted("{}")}},
                          {.body = ToolCallResponse{.id = "c", .content = "done", .is_error = false, .denied = {}}},
                          {.body = ChatResponse{ChatPart::kMessage, "Well."}}}) {
    Append(kSession, event);
  }
  const std::string text = Export(*log_, SessionTool::kClaude, kSession);
  EXPECT_THAT(text, AllOf(StartsWith(file.text()), HasSubstr("More"), HasSubstr("Well.")));
  Check(SessionTool::kClaude, text);
}

}  // namespace
}  // namespace turnlog::record_session_test
