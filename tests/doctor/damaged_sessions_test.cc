// The damaged sessions of tests/fixtures/damaged: what is found, and what mending gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_tree.h"
#include "tests/doctor/expected_findings.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::damaged_sessions_test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

// The mended text; the original one if there is nothing to mend.
std::string Mended(const fs::path& file, const TempDir& folder) {
  const SessionReport report =
      Examine(file, {.action = DoctorAction::kCopy, .out = folder / "out", .secrets = false, .jobs = 1});
  EXPECT_EQ(CodeOf(report.problem), "fine") << file;
  return TextOf(report.written.empty() ? file : report.written);
}

TEST(DamagedSessionsTest, ACopyDoesNotReplaceTheSession) {
  TempDir folder;
  const fs::path file = folder / "orphaned-call.jsonl";
  fs::copy_file(DamagedSessions() / "claude-code" / "orphaned-call.jsonl", file);
  const SessionReport report =
      Examine(file, {.action = DoctorAction::kCopy, .out = folder.path(), .secrets = false, .jobs = 1});
  EXPECT_NE(CodeOf(report.problem), "fine");
  EXPECT_TRUE(report.written.empty());
  EXPECT_EQ(TextOf(file), OrphanedCall());
}

TEST(DamagedSessionsTest, HaveTheExpectedFindings) {
  const auto& expected = ExpectedFindings();
  const std::array<fs::path, 1> paths{DamagedSessions()};
  const DoctorReport report = Must(ExamineSessions(paths));
  EXPECT_THAT(report.problems, IsEmpty());
  const auto in_files = [](const auto& entry) { return !entry.first.contains('#'); };
  EXPECT_EQ(report.sessions.size(), static_cast<std::size_t>(std::ranges::count_if(expected, in_files)));
  for (const SessionReport& session : report.sessions) {
    const std::string name = session.path.lexically_relative(DamagedSessions()).string();
    EXPECT_EQ(CodeOf(session.problem), "fine") << name;
    ASSERT_TRUE(expected.contains(name)) << name;
    EXPECT_THAT(SummaryOf(session), UnorderedElementsAreArray(expected.at(name))) << name;
  }
}

TEST(DamagedSessionsTest, ASecondRunFindsNothingToMend) {
  TempDir folder;
  const std::array<fs::path, 1> paths{DamagedSessions()};
  const std::array<fs::path, 1> mended{folder.path()};
  std::map<std::string, std::uint64_t> left;
  for (const SessionReport& session :
       Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .out = folder.path()})).sessions) {
    EXPECT_EQ(CodeOf(session.problem), "fine") << session.path;
    EXPECT_EQ(session.written.empty(), session.passes.empty());
    if (!session.written.empty()) left[session.written.string()] = session.left();
  }
  EXPECT_GT(left.size(), 40U);
  for (const SessionReport& session : Must(ExamineSessions(mended)).sessions) {
    EXPECT_EQ(session.findings.size(), session.left()) << session.path;
    const auto mended_before = left.find(session.path.string());
    if (mended_before == left.end()) continue;  // copied with another file of its folder
    EXPECT_EQ(session.left(), mended_before->second) << session.path;
  }
}

TEST(DamagedSessionsTest, NothingIsWrittenForASoundSession) {
  TempDir folder;
  const SessionReport report =
      Examine(DamagedSessions() / "claude-code" / "sound.jsonl", {.action = DoctorAction::kCopy, .out = folder.path()});
  EXPECT_THAT(report.written.string(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DamagedSessionsTest, OpenCallsAreAnsweredOnRequest) {
  TempDir folder;
  for (const std::string name : {"claude-code/open-call.jsonl", "codex/open-call"}) {
    const SessionReport report =
        Examine(DamagedSessions() / name, {.action = DoctorAction::kCopy, .out = folder.path(), .close_open = true});
    EXPECT_EQ(report.left(), 0U) << name;
    EXPECT_THAT(Examine(report.written, {}).findings, IsEmpty()) << name;
  }
}

// An independent statement of what Claude Code sends: the chain from the last message, with the records of one message
// joined and the results of parallel calls added; a compaction begins another request.
class ClaudeRequest {
 public:
  explicit ClaudeRequest(std::string_view session) {
    while (!session.empty()) {
      const std::string_view line = session.substr(0, session.find('\n'));
      session.remove_prefix(std::min(line.size() + 1, session.size()));
      if (line.find_first_not_of(" \r") != std::string_view::npos) Take(ParseTree(JsonView::FromTrusted(line)));
    }
  }

  bool complete_chain() const {
    std::string id = last_;
    for (std::size_t steps = 0; steps <= parents_.size(); ++steps) {
      if (id.empty()) return true;
      const auto parent = parents_.find(id);
      if (parent == parents_.end()) return false;
      id = parent->second;
    }
    return false;
  }

  std::string text() const {
    std::string request = R"({"max_tokens":1,"tools":[{"name":"Bash","input_schema":{}}],"messages":[)";
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      request += (i > 0 ? "," : "") + std::string(R"({"role":")") + messages_[i].role + R"(","content":[)" +
                 messages_[i].results + messages_[i].blocks + "]}";
    }
    return request + R"(,{"role":"user","content":"Go on"}]})";
  }

 private:
  struct Message {
    std::string role, id, results, blocks;
  };

  static void Add(std::string& list, std::string_view block) { list.append(list.empty() ? "" : ",").append(block); }

  void Take(const JsonNode& record) {
    const JsonNode* type = record.Find("type");
    if (const JsonNode* id = record.Find("uuid")) {
      const JsonNode* parent = record.Find("parentUuid");
      parents_[id->string] = parent == nullptr ? "" : parent->string;
      last_ = id->string;
    }
    if (record.Find("subtype") != nullptr) messages_.clear();
    if (type != nullptr && (type->string == "user" || type->string == "assistant")) {
      TakeMessage(*record.Find("message"), type->string);
    }
  }

  void TakeMessage(const JsonNode& message, const std::string& role) {
    const std::string id = message.Find("id") == nullptr ? "" : message.Find("id")->string;
    auto at = std::ranges::find_if(messages_, [&](const Message& other) { return !id.empty() && other.id == id; });
    if (at == messages_.end() && role == "user" && !messages_.empty() && messages_.back().role == role) {
      at = std::prev(messages_.end());
    }
    if (at == messages_.end()) at = messages_.insert(at, {role, id, "", ""});
    const JsonNode& content = *message.Find("content");
    if (content.is(JsonNode::Kind::kString)) {
      Add(at->blocks, R"({"type":"text","text":)" + std::string(content.text) + "}");
    }
    for (const JsonNode& block : content.elements) {
      const bool result = block.Find("type")->string == "tool_result";
      Add(result ? at->results : at->blocks, block.text);
    }
    for (Message& other : messages_) Join(other);
  }

  static void Join(Message& message) {
    if (!message.results.empty() && !message.blocks.empty() && !message.blocks.starts_with(',')) {
      message.blocks.insert(0, ",");
    }
  }

  std::vector<Message> messages_;
  std::map<std::string, std::string> parents_;
  std::string last_;
};

TEST(DamagedSessionsTest, TheProviderAcceptsWhatClaudeCodeThenSends) {
  TempDir folder;
  for (const auto& entry : fs::directory_iterator(DamagedSessions() / "claude-code")) {
    const std::string name = entry.path().filename();
    // Nothing in these is mended by default; the order of the last one is that of the chain.
    if (name == "open-call.jsonl" || name == "conflicting-record.jsonl" || name == "result-before-call.jsonl") continue;
    const ClaudeRequest request(Mended(entry.path(), folder));
    EXPECT_TRUE(request.complete_chain()) << name;
    for (const ProviderFinding& finding : Must(LintRequest(Provider::kAnthropic, request.text()))) {
      EXPECT_EQ(finding.rule->verdict, Verdict::kRisk) << name << ": " << finding.rule->id << "\n" << request.text();
    }
  }
}

// What Codex sends: the items in their order.
TEST(DamagedSessionsTest, TheProviderAcceptsWhatCodexThenSends) {
  TempDir folder;
  for (const auto& entry : fs::recursive_directory_iterator(DamagedSessions() / "codex")) {
    if (!entry.is_regular_file() || entry.path().string().contains("open-call")) continue;
    const std::string text =
        entry.path().extension() == ".zst"
            ? TextOf(Examine(entry.path(), {.action = DoctorAction::kCopy, .out = folder / "out"}).written)
            : Mended(entry.path(), folder);
    std::string items;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const JsonView json = JsonView::FromTrusted(line);
      const JsonNode record = ParseTree(json);
      if (record.Find("type")->string != "response_item") continue;
      items.append(items.empty() ? "" : ",").append(record.Find("payload")->text);
    }
    for (const ProviderFinding& finding : Must(LintRequest(Provider::kOpenAiResponses, "[" + items + "]"))) {
      EXPECT_EQ(finding.rule->verdict, Verdict::kRisk) << entry.path() << ": " << finding.rule->id;
    }
  }
}

// A copy of what can be read would pass for the session.
TEST(DamagedSessionsTest, ACompressedFileThatIsDamagedIsNotMended) {
  TempDir folder;
  for (const auto& entry : fs::recursive_directory_iterator(DamagedSessions() / "codex")) {
    if (entry.path().extension() != ".zst") continue;
    const std::string whole = TextOf(entry.path());
    const fs::path torn = folder / entry.path().filename();
    std::ofstream(torn) << whole << whole.substr(0, whole.size() - 10);
    const SessionReport report = Examine(torn, {.action = DoctorAction::kCopy, .out = folder / "out"});
    ASSERT_TRUE(report.problem);
    EXPECT_EQ(report.problem->code, ErrorCode::kCorruption);
    EXPECT_TRUE(report.passes.empty());
    EXPECT_TRUE(report.written.empty());
  }
}

// By an own statement of what Gemini CLI loads and sends.
TEST(DamagedSessionsTest, TheProviderAcceptsWhatGeminiCliThenSends) {
  TempDir folder;
  for (const auto& entry : fs::recursive_directory_iterator(DamagedSessions() / "gemini")) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file() || name.contains("open-call") || name.contains("no-header")) continue;
    std::string text = Mended(entry.path(), folder);
    if (name.ends_with(".json")) text.erase(text.find_last_of('}') + 1);
    const LoadedSession loaded = Must(LoadGeminiSession(text));
    for (const ProviderFinding& finding : Must(LintRequest(Provider::kGemini, loaded.messages))) {
      EXPECT_EQ(finding.rule->verdict, Verdict::kRisk) << name << ": " << finding.rule->id << "\n" << loaded.messages;
    }
  }
}

// By its own statement of what edits are.
std::string Spliced(std::string text, const EditPass& edits) {
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text.replace(edit->begin, edit->end - edit->begin, edit->text);
  return text;
}

// Whether an edit in a line that no finding names only makes it fit what was removed or added elsewhere.
bool FollowsFromOthers(const std::string& text, const TextEdit& edit) {
  const auto begins_line = [&](std::uint64_t at) { return at == 0 || at == text.size() || text[at - 1] == '\n'; };
  if (edit.begin == edit.end && begins_line(edit.begin)) return true;  // a new record
  const std::string before = text.substr(0, edit.begin);
  return std::ranges::any_of(std::array{"parentUuid", "ordinal", "tool_use_id", "call_id", "id"},
                             [&](const char* field) { return before.ends_with('"' + std::string(field) + "\":"); });
}

// In every format with lines: what was written is the original but for the edits, and these are where findings are.
TEST(DamagedSessionsTest, BytesOutsideTheNamedLinesStay) {
  TempDir folder;
  const std::array<fs::path, 1> paths{DamagedSessions()};
  const DoctorReport report = Must(
      ExamineSessions(paths, {.action = DoctorAction::kCopy, .out = folder.path(), .close_open = true, .jobs = 1}));
  std::size_t checked = 0;
  for (const SessionReport& session : report.sessions) {
    if (session.written.empty() || session.path.extension() != ".jsonl") continue;
    SCOPED_TRACE(session.path.string());
    const std::string original = TextOf(session.path);
    std::string text = original;
    for (const EditPass& pass : session.passes) text = Spliced(std::move(text), pass);
    EXPECT_EQ(text, TextOf(session.written));
    if (session.passes.size() > 1) continue;  // the findings of another pass are in other lines
    ++checked;
    std::set<std::uint64_t> named;
    for (const SessionFinding& finding : session.findings) named.insert(finding.line);
    for (const TextEdit& edit : session.passes.front()) {
      const auto line = 1 + static_cast<std::uint64_t>(std::count(
                                original.begin(), original.begin() + static_cast<std::ptrdiff_t>(edit.begin), '\n'));
      EXPECT_TRUE(named.contains(line) || FollowsFromOthers(original, edit)) << "line " << line << ": " << edit.text;
    }
  }
  EXPECT_GT(checked, 30U);
}

// What no rule names stays, unknown fields too.
TEST(DamagedSessionsTest, OtherBytesOfGeminiAndOpencodeStay) {
  TempDir folder;
  const std::string name = "session-2026-05-04T10-00-0a1b2c3d.jsonl";
  std::string orphaned = TextOf(DamagedSessions() / "gemini/orphaned-call" / name);
  const std::string mended = Mended(DamagedSessions() / "gemini/orphaned-call" / name, folder);
  orphaned.replace(orphaned.find(R"("executing")"), 11, R"("error")");
  const std::size_t call = orphaned.find(R"({"id":"c1")") + 1;
  orphaned.insert(call, R"("result":[{"functionResponse":{"id":"c1","name":"read_file","response":{"error":)"
                        R"("Tool call was interrupted."}}}],)");
  EXPECT_EQ(mended, orphaned);
  std::string open = TextOf(DamagedSessions() / "opencode/open-call.json");
  const SessionReport report = Examine(DamagedSessions() / "opencode/open-call.json",
                                       {.action = DoctorAction::kCopy, .out = folder / "open", .close_open = true});
  open.replace(open.find(R"("running")"), 9, R"("error","error":"Tool call was interrupted.")");
  open.insert(open.find("1769940001000") + 13, R"(,"end":1769940001000)");
  EXPECT_EQ(TextOf(report.written), open);
}

// Both are folders: a copy has all their files.
TEST(DamagedSessionsTest, ACopyOfAFolderIsWhole) {
  TempDir folder;
  const std::array<fs::path, 1> paths{DamagedSessions()};
  (void)Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .out = folder.path(), .secrets = false}));
  for (const std::string session : {"jp/17750000010-bad-element", "opencode/storage-torn-part"}) {
    for (const auto& entry : fs::recursive_directory_iterator(DamagedSessions() / session)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_TRUE(fs::exists(folder / entry.path().lexically_relative(DamagedSessions()))) << entry.path();
    }
  }
  EXPECT_FALSE(fs::exists(folder / "opencode/storage-sound"));
}

// Lists are what is sent.
TEST(DamagedSessionsTest, TheProviderAcceptsMendedLists) {
  TempDir folder;
  for (const Provider provider : {Provider::kAnthropic, Provider::kOpenAiChat, Provider::kOpenAiResponses}) {
    for (const auto& entry : fs::directory_iterator(DamagedSessions() / ToString(provider))) {
      const std::string name = entry.path().filename();
      if (name == "open-call.json") continue;
      const std::string text = Mended(entry.path(), folder);
      for (const ProviderFinding& finding : Must(LintRequest(provider, text))) {
        EXPECT_TRUE(finding.rule->verdict == Verdict::kRisk || finding.rule->id == "anthropic-tools" ||
                    finding.rule->id == "anthropic-prefill")
            << name << ": " << finding.rule->id << "\n"
            << text;
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::damaged_sessions_test
