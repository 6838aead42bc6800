// What is exported after a redaction: every record, without the values, and a provider accepts it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "sanitize/redaction/redaction_sources.h"
#include "schema/json/json_visitor.h"
#include "schema/json/json_writer.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/planted_secrets.h"
#include "tests/support/must.h"
#include "turnlog/providers/lint.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/transcript/transcript.h"

namespace turnlog::export_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string Quoted(std::string_view text) { return std::string(JsonString(text).text()); }

// A message of Protocol Buffers with one field of bytes.
std::string Signature(std::string_view inside) {
  const std::string body = FakeSecrets(3).Bytes(60) + std::string(inside);
  return EncodeBase64(std::string("\x12") + static_cast<char>(body.size()) + body);
}
std::string Fernet(std::string_view inside) {
  std::string blocks = FakeSecrets(4).Bytes(16) + std::string(inside);
  blocks.resize((blocks.size() + 15) / 16 * 16);
  return EncodeBase64("\x80" + std::string(4, '\0') + FakeSecrets(5).Bytes(4 + 16) + blocks + FakeSecrets(6).Bytes(32),
                      kWeb64);
}

class RedactedExportTest : public ImportTest {
 protected:
  const std::string value_ = std::string("Kq7v-rather") + "Secret!9x";

  // The only conversation of the source.
  ConversationId Import(std::string_view format, const std::string& name, std::string_view text) {
    const std::vector<std::filesystem::path> paths{Write(name, text)};
    EXPECT_THAT(Must(turnlog::Import(*log_, format, paths)).problems, IsEmpty());
    EXPECT_THAT(All(), SizeIs(1));
    return All().front();
  }

  RedactionPlan Redact(const RedactionTargets& targets) {
    const auto redaction = Must(Redaction::Plan(*log_, targets));
    EXPECT_TRUE(redaction->Apply("tester"));
    EXPECT_TRUE(Must(redaction->Prove()).clean());
    return redaction->plan();
  }
  RedactionPlan Redact() {
    RedactionTargets targets;
    targets.values = {value_};
    return Redact(targets);
  }

  std::string Export(std::string_view format, const ConversationId& id, const ExportOptions& options) {
    std::string out;
    const std::vector<ConversationId> ids{id};
    const ExportReport report = Must(
        ExportToStream(*log_, format, ids, [&](std::string_view piece) { return out += piece, Status(); }, options));
    EXPECT_THAT(report.failures, IsEmpty()) << format;
    return out;
  }
  std::string Raw(std::string_view format, const ConversationId& id) { return Export(format, id, {.raw = true}); }

  // What an export of the conversation to this format writes; empty if there is none.
  std::string TryExport(std::string_view format, const ConversationId& id, const ExportOptions& options) {
    std::string out;
    const std::vector<ConversationId> ids{id};
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    return ExportToStream(*log_, format, ids, sink, options) ? out : std::string();
  }

  // Every way out.
  std::map<std::string, std::string> ExportAll(std::string_view origin, const ConversationId& id) {
    std::map<std::string, std::string> all{{"raw", Raw(origin, id)}};
    for (const FormatInfo& format : Formats()) {
      if (!format.exports_to_stream) continue;
      for (const char* model : {"", "claude-opus-4-1", "gpt-5"}) {
        const std::string name = fmt::format("{} {}", format.name, model);
        const ExportOptions options{.model = model, .same_account = *model != '\0'};
        all[name] = TryExport(format.name, id, options);
        if (const auto provider = FindProvider(format.name); provider && !all[name].empty()) {
          EXPECT_THAT(FindingsOf(*provider, all[name]), IsEmpty()) << name;
        }
      }
    }
    for (const TranscriptFormat format :
         {TranscriptFormat::kMarkdown, TranscriptFormat::kHtml, TranscriptFormat::kHandoff}) {
      std::string& page = all[fmt::format("document {}", static_cast<int>(format))];
      const auto sink = [&](std::size_t, std::string_view piece) { return page += piece, Status(); };
      Must(WriteTranscript(*log_, id, format, sink, {.keep_secrets = true}));
    }
    for (const FormatInfo& format : Formats()) {
      if (!format.exports_to_folder) continue;
      const std::vector<ConversationId> ids{id};
      (void)ExportToFolder(*log_, format.name, ids, dir_ / "out");
      for (const auto& [name, text] : ReadTree(dir_ / "out")) all[fmt::format("{}: {}", format.name, name)] = text;
      std::filesystem::remove_all(dir_ / "out");
    }
    EXPECT_GT(all.size(), 20U);
    return all;
  }

  static std::vector<std::string> FindingsOf(Provider provider, std::string_view request) {
    std::vector<std::string> found;
    for (const ProviderFinding& finding : Must(LintRequest(provider, request))) {
      if (finding.rule->verdict == Verdict::kRefused) found.emplace_back(finding.rule->id);
    }
    return found;
  }
};

TEST_F(RedactedExportTest, HasEveryRecordWithTheMarkInPlaceOfTheValue) {
  // In a text that an event has, in fields that only the record has, in a call, in a result, in a foreign record.
  const std::string text =
      ClaudeUser("1", Quoted("a " + value_)) + "\n" +
      ClaudeAssistant("2", R"({"type":"text","text":"b"},)" +
                               ClaudeCall("t", "Bash", R"({"command":)" + Quoted("echo " + value_) + "}")) +
      "\n" +
      ClaudeResult("3", "t", Quoted(value_), R"(,"toolUseResult":{"n":[1,true],"stdout":)" + Quoted(value_) + "}") +
      "\n" + R"({"type":"mode","sessionId":"x","note":)" + Quoted(value_) + "}\n" + ClaudeUser("4", R"("end")") + "\n";
  const ConversationId id = Import("claude-code", std::string(kClaudeSession) + ".jsonl", text);
  ASSERT_EQ(Raw("claude-code", id), text);
  EXPECT_THAT(Redact().opaque, IsEmpty());
  EXPECT_EQ(Raw("claude-code", id), Replaced(text, value_, "[redacted]"));
}

TEST_F(RedactedExportTest, HasNoBlockWhoseSealHeldTheValue) {
  const std::string thinking = R"({"type":"thinking","thinking":"Hm.","signature":")" + Signature(value_) + "\"}";
  const std::string said = R"({"type":"text","text":"Looking."})";
  const std::string before = ClaudeUser("1", R"("Hi")") + "\n", after = ClaudeUser("5", R"("end")") + "\n";
  const std::string text = before + ClaudeAssistant("2", thinking + "," + said) + "\n" +
                           ClaudeAssistant("3", thinking) + "\n" +
                           ClaudeAssistant("4", said + "," + thinking + "," + ClaudeCall("t")) + "\n" + after;
  const ConversationId id = Import("claude-code", std::string(kClaudeSession) + ".jsonl", text);
  const RedactionPlan plan = Redact();
  EXPECT_THAT(plan.opaque, SizeIs(3));
  EXPECT_EQ(Raw("claude-code", id), before + ClaudeAssistant("2", said) + "\n" +
                                        ClaudeAssistant("3", R"({"type":"text","text":"[redacted]"})") + "\n" +
                                        ClaudeAssistant("4", said + "," + ClaudeCall("t")) + "\n" + after);
}

TEST_F(RedactedExportTest, OfAListIsAcceptedByItsProvider) {
  const std::string anthropic = fmt::format(
      R"({{"model":"claude-opus-4-1","max_tokens":5,"messages":[{{"role":"user","content":"Hi"}},
 {{"role":"assistant","content":[{{"type":"thinking","thinking":"Hm.","signature":"{}"}},{{"type":"text","text":"a"}}]}},
 {{"role":"user","content":{}}}]}})",
      Signature(value_), Quoted("then " + value_));
  const ConversationId id = Import("anthropic", "talk.json", anthropic);
  ASSERT_THAT(FindingsOf(Provider::kAnthropic, Raw("anthropic", id)), IsEmpty());
  EXPECT_THAT(Redact().opaque, SizeIs(1));
  const std::string raw = Raw("anthropic", id);
  EXPECT_THAT(FindingsOf(Provider::kAnthropic, raw), IsEmpty());
  EXPECT_THAT(raw, HasSubstr(R"({"role":"assistant","content":[{"type":"text","text":"a"}]})"));
  EXPECT_THAT(raw, HasSubstr("then [redacted]"));
}

TEST_F(RedactedExportTest, OfItemsHasNoneThatIsOnlySealed) {
  const std::string items = fmt::format(
      R"([{{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"{}"}},
 {{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"{}"}},
 {{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"a"}}]}},
 {{"type":"message","role":"user","content":[{{"type":"input_text","text":"b"}}]}}])",
      Fernet(value_), Fernet(""));
  const ConversationId id = Import("openai", "talk.json", items);
  EXPECT_THAT(Redact().opaque, SizeIs(1));
  const std::string raw = Raw("openai", id);
  JsonVisitor nothing;
  EXPECT_TRUE(VisitValidJson(raw, nothing)) << raw;
  EXPECT_THAT(raw, Not(HasSubstr("rs_1")));
  EXPECT_THAT(raw, HasSubstr(Fernet("")));
  EXPECT_THAT(FindingsOf(Provider::kOpenAiResponses, raw), IsEmpty()) << raw;
}

// Sessions in which each built-in rule finds something, in every part of a record.
struct Session {
  const char* format;
  std::string file, text;
};

std::vector<Session> Sessions() {
  Session claude{"claude-code", std::string(kClaudeSession) + ".jsonl", ClaudeSample()};
  Session codex{"codex", fmt::format("rollout-2026-08-01T10-00-00-{}.jsonl", kCodexThread), CodexSample()};
  Session gemini{"gemini", "session-2026-04-29T21-39-5d3e8e0c.jsonl", GeminiHeader() + "\n"};
  Session anthropic{"anthropic", "talk.json", R"({"model":"claude-opus-4-1","max_tokens":5,"messages":[)"};
  int number = 0;
  for (const PlantedSecret& planted : PlantedSecrets(11)) {
    const std::string text = Quoted(planted.text()), call = fmt::format("t{}", 100 + ++number);
    const std::string input = "{\"v\":" + text + "}";
    const std::string think = R"({"type":"thinking","thinking":)" + text + R"(,"signature":")" + Signature("") + "\"},";
    for (const std::string& record :
         {ClaudeUser("u" + call, text), ClaudeAssistant("a" + call, think + ClaudeCall(call, "Bash", input)),
          ClaudeResult("r" + call, call, text, R"(,"toolUseResult":{"stdout":)" + text + "}")}) {
      claude.text.append(record).append("\n");
    }
    for (const std::string& record : {CodexUser(text.substr(1, text.size() - 2)),
                                      CodexCall(call, "exec_command", Quoted(input)), CodexOutput(call, text)}) {
      codex.text.append(record).append("\n");
    }
    gemini.text.append(GeminiUser("u" + call, text.substr(1, text.size() - 2))).append("\n");
    gemini.text
        .append(GeminiCalls("g" + call, GeminiToolCall(call, "shell", "success", R"({"output":)" + text + "}", input)))
        .append("\n");
    anthropic.text.append(fmt::format(R"({}
 {{"role":"user","content":{}}},{{"role":"assistant","content":[{}{}]}},
 {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{}","content":{}}}]}})",
                                      number > 1 ? "," : "", text, think, ClaudeCall(call, "Bash", input), call, text));
  }
  anthropic.text += "]}";
  return {claude, codex, gemini, anthropic};
}

class EverySessionTest : public RedactedExportTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(EverySessionTest, IsExportedWithoutASecretThatWasThereAndWithoutANewOne) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  const auto secrets_in = [&](std::string_view text) {
    std::set<std::string> values;
    for (const FoundSecret& secret : FindUnredacted(*detector, text)) values.emplace(secret.value.view());
    return values;
  };
  const Session session = Sessions()[GetParam()];
  const ConversationId id = Import(session.format, session.file, session.text);
  const auto before = ExportAll(session.format, id);
  EXPECT_EQ(before.at("raw"), session.text);
  RedactionTargets targets;
  targets.detect = true;
  Redact(targets);
  for (const auto& [name, text] : ExportAll(session.format, id)) {
    const auto then = before.find(name);
    const std::set<std::string> known = secrets_in(then != before.end() ? then->second : std::string());
    for (const std::string& value : secrets_in(text)) EXPECT_TRUE(known.contains(value)) << name << ": " << value;
    for (const PlantedSecret& planted : PlantedSecrets(11)) {
      if (planted.secret.size() < 12) continue;  // may be a common word
      EXPECT_FALSE(text.contains(planted.secret)) << name << ": " << planted.rule;
    }
  }
  // No record is missing.
  const std::string raw = Raw(session.format, id);
  EXPECT_EQ(std::ranges::count(raw, '\n'), std::ranges::count(session.text, '\n'));
}

INSTANTIATE_TEST_SUITE_P(Formats, EverySessionTest, ::testing::Range<std::size_t>(0, 4));

}  // namespace
}  // namespace turnlog::export_test
