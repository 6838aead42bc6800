// Sessions that are cut, changed at any byte or mixed: what is left of them is mended, and whole records are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/json/json_tree.h"
#include "tests/doctor/session_files.h"
#include "tests/migrate/jp_events.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_dir.h"

namespace turnlog::changed_sessions_test {
namespace {

namespace fs = std::filesystem;

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
    ASSERT_EQ(CodeOf(session.problem), "fine");
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
    for (const char* list :
         {"anthropic", "openai-chat", "openai-responses", "ui-messages", "model-messages", "opencode"}) {
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
    ASSERT_EQ(CodeOf(session.problem), "fine");
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
}  // namespace turnlog::changed_sessions_test
