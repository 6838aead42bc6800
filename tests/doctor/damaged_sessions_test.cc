// The damaged sessions of tests/fixtures/damaged, and cut and changed ones: what is found, and what mending gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "migrate/jp/array.h"
#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_tree.h"
#include "tests/doctor/expected_findings.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
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
  EXPECT_EQ(report.problem, "") << file;
  return TextOf(report.written.empty() ? file : report.written);
}

TEST(DamagedSessionsTest, ACopyDoesNotReplaceTheSession) {
  TempDir folder;
  const fs::path file = folder / "orphaned-call.jsonl";
  fs::copy_file(DamagedSessions() / "claude-code" / "orphaned-call.jsonl", file);
  const SessionReport report =
      Examine(file, {.action = DoctorAction::kCopy, .out = folder.path(), .secrets = false, .jobs = 1});
  EXPECT_NE(report.problem, "");
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
    EXPECT_EQ(session.problem, "") << name;
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
    EXPECT_EQ(session.problem, "") << session.path;
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

class ChangedSessionTest : public testing::Test {
 protected:
  // The text is mended, a second run finds nothing to mend, and these texts are kept.
  void Check(const std::string& name, const std::string& text, std::span<const std::string_view> kept) {
    const fs::path file = folder_ / name;
    WriteText(file, text);
    const std::array<fs::path, 1> paths{file};
    const DoctorReport report =
        Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .close_open = true, .secrets = false, .jobs = 1}));
    mended_.clear();
    if (report.sessions.empty()) return;  // no record of the format is left
    const SessionReport& session = report.sessions.front();
    ASSERT_EQ(session.problem, "");
    if (session.written.empty()) return void(mended_ = text);
    const std::string mended = mended_ = TextOf(session.written);
    for (const std::string_view value : kept) {
      ASSERT_TRUE(mended.contains(value) || !text.contains(value)) << value;
    }
    WriteText(file, mended);
    const DoctorReport second = Must(ExamineSessions(paths, {.secrets = false, .jobs = 1}));
    for (const SessionReport& again : second.sessions) ASSERT_EQ(again.findings.size(), again.left()) << mended;
  }

  struct Sound {
    std::string name, text;
  };
  static std::vector<Sound> SoundSessions() {
    const fs::path folder = DamagedSessions();
    std::vector<Sound> sound{{kName, TextOf(folder / "codex" / "sound" / kName)},
                             {"a.jsonl", TextOf(folder / "claude-code" / "sound.jsonl")},
                             {"a.jsonl", TextOf(folder / "gemini/sound/session-2026-05-04T10-00-0a1b2c3d.jsonl")}};
    for (const char* list : {"anthropic", "openai-chat", "openai-responses", "ui-messages", "opencode"}) {
      sound.push_back({"a.json", TextOf(folder / list / "sound.json")});
    }
    return sound;
  }

  static constexpr const char* kName = "rollout-2026-08-01T10-00-00-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl";
  TempDir folder_;
  std::string mended_;  // by the last Check; empty if its format is not recognised
};

TEST_F(ChangedSessionTest, CutAtEveryByte) {
  for (const auto& [name, text] : SoundSessions()) {
    for (std::size_t size = 1; size <= text.size(); size += kByteStep) {
      SCOPED_TRACE(name + " " + std::to_string(size));
      ASSERT_NO_FATAL_FAILURE(Check(name, text.substr(0, size), {}));
    }
  }
}

TEST_F(ChangedSessionTest, ChangedAtEveryByte) {
  constexpr std::string_view kBytes("\0\n{}\",\xff[", 8);
  for (const auto& [name, text] : SoundSessions()) {
    for (std::size_t at = 0; at < text.size(); at += kByteStep) {
      SCOPED_TRACE(name + " " + std::to_string(at));
      std::string changed = text;
      changed[at] = kBytes[at % kBytes.size()];
      ASSERT_NO_FATAL_FAILURE(Check(name, changed, {}));
    }
  }
}

// jp's files are in a folder with a name of its own.
class ChangedJpTest : public ChangedSessionTest {
 protected:
  ChangedJpTest() { fs::create_directory(session_); }

  void Check(const std::string& text) {
    WriteText(session_ / "metadata.json", R"({"last_activated_at":"2026-08-01 10:00:00.0"})");
    WriteText(session_ / "events.json", text);
    const std::array<fs::path, 1> paths{session_};
    const DoctorReport report =
        Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .secrets = false, .jobs = 1}));
    ASSERT_EQ(report.sessions.size(), 1U);
    const SessionReport& session = report.sessions.front();
    ASSERT_EQ(session.problem, "");
    if (session.written.empty()) return;
    const std::string mended = TextOf(session.written);
    fs::remove(session.written);
    ASSERT_TRUE(session.left() > 0 || SplitJpEvents(mended)) << mended;
    WriteText(session_ / "events.json", mended);
    const DoctorReport second = Must(ExamineSessions(paths, {.secrets = false, .jobs = 1}));
    for (const SessionReport& again : second.sessions) ASSERT_EQ(again.findings.size(), again.left()) << mended;
  }

  const fs::path session_ = folder_ / "17750000000-a";
  const std::string sound_ = TextOf(DamagedSessions() / "jp/17750000000-sound/events.json");
};

TEST_F(ChangedJpTest, CutAtEveryByte) {
  for (std::size_t size = 1; size < sound_.size(); size += kByteStep) {
    SCOPED_TRACE(size);
    ASSERT_NO_FATAL_FAILURE(Check(sound_.substr(0, size)));
  }
}

TEST_F(ChangedJpTest, ChangedAtEveryByte) {
  constexpr std::string_view kBytes("\0\n{}\",\xff[]", 9);
  for (std::size_t at = 0; at < sound_.size(); at += kByteStep) {
    SCOPED_TRACE(at);
    std::string changed = sound_;
    changed[at] = kBytes[at % kBytes.size()];
    ASSERT_NO_FATAL_FAILURE(Check(changed));
  }
}

// Lines of all damaged sessions in random order: anything may be missing, repeated or misplaced.
TEST_F(ChangedSessionTest, MixedFromRandomLines) {
  std::mt19937 random(7);
  const std::array<std::string_view, 3> kept{"a lost answer", "again", "b.txt"};
  for (const std::string folder : {"claude-code", "codex", "gemini"}) {
    std::vector<std::string> lines;
    for (const auto& entry : fs::recursive_directory_iterator(DamagedSessions() / folder)) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string text = TextOf(entry.path());
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
      }
    }
    for (int run = 0; run < 500; ++run) {
      std::string text;
      for (std::size_t count = 1 + random() % 12; count > 0; --count) text += lines[random() % lines.size()];
      SCOPED_TRACE(text);
      ASSERT_NO_FATAL_FAILURE(Check(kName, text, kept));
    }
  }
}

// The same of elements of lists. The provider accepts what is mended, but for what depends on the next request.
TEST_F(ChangedSessionTest, MixedFromRandomElements) {
  std::mt19937 random(7);
  const std::array<std::string_view, 3> kept{"a lost answer", "again", "b.txt"};
  const std::set<std::string_view> elsewhere{"anthropic-prefill", "responses-reasoning-alone", "empty-message"};
  for (const char* folder : {"anthropic", "openai-chat", "openai-responses", "ui-messages"}) {
    std::vector<std::string> elements;
    for (const auto& entry : fs::directory_iterator(DamagedSessions() / folder)) {
      if (entry.path().filename() == "torn.json") continue;
      const std::string text = TextOf(entry.path());
      const JsonView json = JsonView::FromTrusted(text);
      const JsonNode document = ParseTree(json);
      const JsonNode* list = document.Find("messages");
      if (list == nullptr) list = document.Find("input");
      for (const JsonNode& element : (list == nullptr ? document : *list).elements) elements.emplace_back(element.text);
    }
    for (int run = 0; run < 500; ++run) {
      std::string text;
      for (std::size_t count = 1 + random() % 8; count > 0; --count) {
        text.append(text.empty() ? "[" : ",").append(elements[random() % elements.size()]);
      }
      SCOPED_TRACE(text);
      ASSERT_NO_FATAL_FAILURE(Check("a.json", text + "]\n", kept));
      const auto provider = FindProvider(folder);
      if (!provider || mended_.empty()) continue;
      for (const ProviderFinding& finding : Must(LintRequest(*provider, mended_))) {
        EXPECT_TRUE(finding.rule->verdict == Verdict::kRisk || elsewhere.contains(finding.rule->id))
            << finding.rule->id << " in " << mended_;
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::damaged_sessions_test
