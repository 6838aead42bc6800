// Test data of other projects with independent counts: what we read agrees, or differs by a rule that is named here.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "migrate/records/json_object.h"
#include "migrate/sources/find_sources.h"
#include "migrate/sources/wrong_format.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/shared_data.h"

namespace turnlog::foreign_corpus_test {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Counts {
  std::uint64_t user_messages = 0, tool_calls = 0, tool_results = 0, thinking_blocks = 0, denials = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.user_messages << " user messages, " << counts.tool_calls << " calls, " << counts.tool_results
       << " results, " << counts.thinking_blocks << " thinking blocks, " << counts.denials << " denials";
}

std::uint64_t Number(const JsonObject& object, std::string_view name) {
  const std::string_view text = object[name];
  return text.empty() ? 0 : std::stoull(std::string(text));
}

Counts CountsOf(const ReadSource& read) {
  Counts counts;
  for (const auto& [name, conversation] : read.conversations) {
    for (const Event& event : conversation.events) {
      const auto* request = std::get_if<ChatRequest>(&event.body);
      const auto* response = std::get_if<ChatResponse>(&event.body);
      const auto* result = std::get_if<ToolCallResponse>(&event.body);
      counts.user_messages += request != nullptr && !request->author ? 1U : 0U;
      counts.tool_calls += std::holds_alternative<ToolCallRequest>(event.body) ? 1U : 0U;
      counts.tool_results += result != nullptr ? 1U : 0U;
      counts.thinking_blocks += response != nullptr && response->part == ChatPart::kReasoning ? 1U : 0U;
      counts.denials += result != nullptr && result->denied ? 1U : 0U;
    }
  }
  return counts;
}

Counts Expected(const JsonObject& census) {
  const JsonObject denials = census.Object("denials");
  // Of a message list; in a session's census, server tools are among the calls.
  const bool is_response = !census["block_types"].empty();
  return {.user_messages = Number(census, "user_messages"),
          .tool_calls = Number(census, "tool_calls") + Number(census, "client_tool_calls") +
                        (is_response ? Number(census, "server_tool_calls") : 0),
          .tool_results = Number(census, "tool_results") + (is_response ? Number(census, "server_tool_results") : 0),
          .thinking_blocks =
              Number(census, "thinking_blocks") + Number(census, "reasoning_items") + Number(census, "thoughts"),
          .denials = Number(denials, "user") + Number(denials, "cancelled") + Number(denials, "policy") +
                     Number(denials, "rejected_by_user")};
}

// Where the counts differ: what we count, and the rule.
struct Difference {
  std::string_view file;  // the end of its path
  Counts counts;
};

class ForeignCorpus : public ::testing::Test {
 protected:
  // Compares all files of a format.
  static void Compare(const fs::path& root, std::string_view name, const Format& format,
                      const std::vector<Difference>& differences) {
    const std::string manifest = ReadText(root / "manifest.json");
    std::size_t compared = 0;
    const std::size_t begin = manifest.find('[');
    for (const std::string_view text : ElementsOf(std::string_view(manifest).substr(begin))) {
      const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
      if (entry.String("format") != name) continue;
      const std::string file = entry.String("file").value_or("");
      const std::string bytes = ReadText(root / file);
      const std::string file_name = fs::path(file).filename().string();
      EXPECT_FALSE(FindWrongFormat(format, {file_name, bytes})) << file;
      ReadSource read = ReadFiles(format, {{file_name, bytes}});
      Counts expected = Expected(entry.Object("census"));
      for (const Difference& difference : differences) {
        if (file.ends_with(difference.file)) expected = difference.counts;
      }
      EXPECT_EQ(CountsOf(read), expected) << file;
      EXPECT_EQ(read.only().written, bytes) << file;
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
};

TEST_F(ForeignCorpus, ClaudeCode) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  const std::vector<Difference> differences{
      // Calls and results without an id are kept as foreign events.
      {"agent-sessions/large.jsonl", {.user_messages = 4, .thinking_blocks = 1}},
      {"4061-8071-2a3b4c5d6e7f.jsonl", {.user_messages = 1}},
      {"subagents/agent-a0ad4f44468bdf20d.jsonl", {}},
      // The origin of a message is a task in the background.
      {"agent-sessions/schema_drift.jsonl", {.user_messages = 1}},
      // The same; and 44 records with one id are not copies of each other, because their contents differ.
      {"agent-sessions/small.jsonl",
       {.user_messages = 9, .tool_calls = 2, .tool_results = 1, .thinking_blocks = 6, .denials = 0}},
      // A record without a message, or with a content that is neither text nor a list, is kept as a foreign event.
      {"malformed/missing_fields.jsonl", {.user_messages = 4}},
      {"malformed/wrong_types.jsonl", {.user_messages = 4}},
  };
  Compare(root, "claude-code", *FindFormat("claude-code"), differences);
}

TEST_F(ForeignCorpus, Codex) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  const std::vector<Difference> differences{
      // A message of the user that has no twin among the events is a prompt all the same.
      {"codex/large.jsonl", {.user_messages = 6}},
      // An item without the fields of its kind is kept as a foreign event.
      {"codex/schema_drift.jsonl", {}},
      // What follows the session_meta of another session is a copy; a call without an id is a foreign event.
      {"codex/small.jsonl", {.user_messages = 2, .tool_calls = 5, .tool_results = 6, .thinking_blocks = 1}},
  };
  Compare(root, "codex", *FindFormat("codex"), differences);
}

TEST_F(ForeignCorpus, CodexInTypeScript) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  Compare(root, "codex-ts", *FindFormat("codex"), {});
}

TEST_F(ForeignCorpus, Gemini) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  Compare(root, "gemini", *FindFormat("gemini"), {});
  Compare(root, "gemini-jsonl", *FindFormat("gemini"), {});
}

TEST_F(ForeignCorpus, Anthropic) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  Compare(root, "anthropic", *FindFormat("anthropic"), {});
}

// The census is of the whole tree: its sessions together have what it counts.
TEST_F(ForeignCorpus, OpencodeStorage) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  const std::string manifest = ReadText(root / "manifest.json");
  const auto begin = manifest.find('[');
  std::size_t compared = 0;
  for (const std::string_view text : ElementsOf(std::string_view(manifest).substr(begin))) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    if (entry.String("format") != "opencode-storage") continue;
    const fs::path folder = root / *entry.String("file");
    std::vector<ImportProblem> notes;
    Counts counts;
    for (const FoundSource& found : FindSources({&folder, 1}, nullptr).sources) {
      Source source = Must(LoadSource(found, notes));
      const Counts more = CountsOf(ReadAll(*found.format, source));
      counts.user_messages += more.user_messages;
      counts.tool_calls += more.tool_calls;
      counts.tool_results += more.tool_results;
    }
    Counts expected = Expected(entry.Object("census"));
    if (folder.filename() == "storage_legacy") expected.user_messages = 0;  // its message has no text
    EXPECT_EQ(counts, expected) << folder;
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

// The census counts no events of run states: nothing is lost of any, and one waits for an approval.
TEST_F(ForeignCorpus, RunStates) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  std::size_t files = 0, pending = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "openai-runstate")) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = ReadText(entry.path());
    ReadSource read = ReadFiles(*FindFormat("openai-agents"), {{entry.path().filename().string(), bytes}});
    EXPECT_EQ(read.only().written, bytes) << entry.path();
    EXPECT_EQ(read.taken, bytes.size()) << entry.path();
    for (const Event& event : read.only().events) {
      pending += std::holds_alternative<InquiryRequest>(event.body) ? 1U : 0U;
      pending -= std::holds_alternative<InquiryResponse>(event.body) ? 1U : 0U;
    }
    ++files;
  }
  EXPECT_EQ(files, 15);
  EXPECT_EQ(pending, 1);
}

TEST_F(ForeignCorpus, AnthropicResponses) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  const std::vector<Difference> differences{
      // The census does not count thinking.
      {"claude-opus-5-reasoning-high.1.json", {.thinking_blocks = 1}},
      {"clear-thinking.1.json", {.thinking_blocks = 1}},
      {"combined-context-editing.1.json", {.thinking_blocks = 1}},
  };
  Compare(root, "anthropic-response", *FindFormat("anthropic"), differences);
}

TEST_F(ForeignCorpus, OpenAiResponses) {
  TURNLOG_SHARED_OR_SKIP(root, "corpus/foreign");
  const std::vector<Difference> differences{
      // A call that the server answers itself, and so has no id, is kept as a foreign event.
      {"openai-tool-search.1.json", {.tool_calls = 1}},
      // The census does not count programs that call tools, and what they put out.
      {"programmatic-tool-calling.1.json", {.tool_calls = 2, .thinking_blocks = 1}},
      {"programmatic-tool-calling.3.json", {.tool_results = 1}},
  };
  Compare(root, "openai-response", *FindFormat("openai"), differences);
}

}  // namespace
}  // namespace turnlog::foreign_corpus_test
