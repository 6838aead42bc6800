// Records that their tools have changed where no event shows it.
#include "migrate/compare/record_revisions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/records/record_revision.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::record_revisions_test {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RecordRevisionsTest : public ImportTest {
 protected:
  // The report of an import of the file with this text.
  ImportReport Import(const std::string& name, std::string_view text) {
    const fs::path path = Write(name, text);
    Settle();
    return Must(turnlog::Import(*log_, "auto", {&path, 1}));
  }

  std::string Raw(std::string_view format, std::string_view conversation) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const std::vector<ConversationId> ids{Id(conversation)};
    Must(ExportToStream(*log_, format, ids, sink, {.raw = true}));
    return out;
  }

  std::uint64_t Revisions(std::string_view conversation) {
    std::uint64_t count = 0;
    for (const Event& event : Events(conversation)) count += ReadRevision(View(event)).has_value() ? 1 : 0;
    return count;
  }
};

std::string GeminiDocument(std::string_view messages) {
  std::string text = GeminiHeader();
  text.back() = ',';
  return text.append("\n  \"messages\": [\n").append(messages).append("\n]}");
}

constexpr const char* kGeminiFile = "session-2026-04-29T21-39-5d3e8e0c.json";

// Where the text of an event is spelled in another way, too.
TEST_F(RecordRevisionsTest, KeepHowArgumentsAreSpelled) {
  const auto with = [](std::string_view arguments) {
    const std::string calls =
        R"(,"toolCalls":[)" + GeminiToolCall("c", "ls", "success", R"({"output":"x"})", arguments);
    return GeminiDocument(GeminiUser("m0", "list") + ",\n" +
                          GeminiMessage("m1", "gemini", R"("content":"Looking.")" + calls + "]") + ",\n" +
                          GeminiText("m2", "more"));
  };
  Import(kGeminiFile, with(R"({"a": [1, 2]})"));
  const std::string compact = with(R"({"a":[1,2]})");
  EXPECT_THAT(Import(kGeminiFile, compact).problems, IsEmpty());
  EXPECT_EQ(Raw("gemini", kGeminiSession), compact);
  EXPECT_EQ(Import(kGeminiFile, compact).events, 0U);
}

// A change of line ends is none of any record.
TEST_F(RecordRevisionsTest, AreNotMadeOfWhatIsBetweenRecords) {
  const std::string name = std::string(kClaudeSession) + ".jsonl";
  const std::vector<std::string> records{ClaudeUser("u1", R"("one")"), ClaudeUser("u2", R"("two")"),
                                         ClaudeUser("u3", R"("three")")};
  const auto with = [&](std::string_view lead, std::string_view line_break) {
    std::string text;
    for (const std::string& record : records) text.append(lead).append(record).append(line_break);
    return text;
  };
  Import(name, with("", "\n"));
  for (const std::string& text : {with("", "\r\n"), with("", "\n"), with(" ", "\r\n"), with("", "\n\n")}) {
    EXPECT_THAT(Import(name, text).problems, IsEmpty());
    EXPECT_EQ(Revisions(kClaudeSession), 0U);
  }
}

TEST_F(RecordRevisionsTest, KeepWhatAMessageHasCost) {
  const std::string user = GeminiUser("m0", "list"), said = GeminiText("m1", "done");
  const auto with = [&](std::string_view fields) {
    return GeminiDocument(user + ",\n" + GeminiMessage("m1", "gemini", fmt::format(R"("content":"done"{})", fields)) +
                          ",\n" + GeminiText("m2", "more"));
  };
  Import(kGeminiFile, with(""));
  const std::string costly = with(R"(,"tokens":{"input":100,"total":123})");
  const ImportReport second = Import(kGeminiFile, costly);
  EXPECT_THAT(second.problems, IsEmpty());
  EXPECT_EQ(second.extended, 1U);
  EXPECT_EQ(Raw("gemini", kGeminiSession), costly);
  EXPECT_EQ(Import(kGeminiFile, costly).events, 0U);
  const std::string costlier = with(R"(,"tokens":{"input":100,"total":456})");
  Import(kGeminiFile, costlier);
  EXPECT_EQ(Raw("gemini", kGeminiSession), costlier);
  Import(kGeminiFile, costlier + " ");
  EXPECT_EQ(Raw("gemini", kGeminiSession), costlier + " ");
  EXPECT_EQ(Revisions(kGeminiSession), 2U);
}

TEST_F(RecordRevisionsTest, ComeAfterTheEventsThatARecordHasMore) {
  const auto chat = [](std::string_view state, std::string_view output) {
    return fmt::format(R"([{{"id":"1","role":"user","parts":[{{"type":"text","text":"hi"}}]}},)"
                       R"({{"id":"2","role":"assistant","parts":[{{"type":"step-start"}},)"
                       R"({{"type":"tool-ls","toolCallId":"c1","state":"{}","input":{{}}{}}}]}}])",
                       state, output);
  };
  Import("chat.json", chat("input-available", ""));
  const std::string done = chat("output-available", R"(,"output":{"files":["a"]})");
  EXPECT_EQ(Import("chat.json", done).extended, 1U);
  EXPECT_EQ(Raw("ui-messages", "chat"), done);
  EXPECT_EQ(Import("chat.json", done).events, 0U);
  EXPECT_EQ(Raw("ui-messages", "chat"), done);
}

TEST_F(RecordRevisionsTest, HaveWhatARunningCallOfADatabaseBecame) {
  TestDatabase database(dir_ / "db" / "opencode.db");
  const auto part = [](std::string_view state) {
    return fmt::format(R"({{"type":"tool","callID":"c1","tool":"edit","state":{}}})", state);
  };
  database.Run("CREATE TABLE session (id text PRIMARY KEY, parent_id text)");
  for (const char* table : {"message", "part"}) {
    database.Run(
        fmt::format("CREATE TABLE {} (id text PRIMARY KEY, {} session_id text, time_updated integer, data text)", table,
                    table == std::string_view("part") ? "message_id text," : ""));
  }
  database.Run("INSERT INTO session VALUES('ses_1',NULL)");
  database.Run(R"(INSERT INTO message VALUES('m1','ses_1',1,'{"role":"assistant","time":{"created":2}}'))");
  database.Run(fmt::format("INSERT INTO part VALUES('p1','m1','ses_1',1,'{}')",
                           part(R"({"status":"running","input":{"f":"a"}})")));
  const fs::path path = dir_ / "db";
  const auto import = [&] {
    Settle();
    return Must(turnlog::Import(*log_, "opencode", {&path, 1}));
  };
  import();
  database.Run(
      fmt::format("UPDATE part SET time_updated=5, data='{}'",
                  part(R"({"status":"completed","input":{"f":"a"},"output":"ok","metadata":{"diff":"THE DIFF"}})")));
  EXPECT_EQ(import().extended, 1U);
  const auto rows_now = [&] {
    std::string text;
    for (const auto& [name, bytes] : ExportRaw("opencode", "ses_1")) text += bytes;
    return text;
  };
  const std::string rows = rows_now();
  EXPECT_THAT(rows, HasSubstr("THE DIFF"));
  EXPECT_THAT(rows, HasSubstr("completed"));
  EXPECT_THAT(rows, Not(HasSubstr("running")));
  EXPECT_EQ(import().events, 0U);
  EXPECT_EQ(rows_now(), rows);
}

// A tool cuts what a call returns, or writes a text, within a surrogate pair.
TEST_F(RecordRevisionsTest, HaveTextThatIsNotValid) {
  const auto chat = [](std::string_view input, std::string_view state, std::string_view more) {
    return fmt::format(R"([{{"id":"1","role":"user","parts":[{{"type":"text","text":"Hi"}}]}},)"
                       R"({{"id":"2","role":"assistant","parts":[{{"type":"tool-f","toolCallId":"a","state":"{}",)"
                       R"("input":{{"a":"{}"}}{}}}]}}])",
                       state, input, more);
  };
  for (const std::string name : {"whole", R"(cut \ud83d)"}) {
    const std::string file = fmt::format("chat{}.json", name.size()), id = fmt::format("chat{}", name.size());
    Import(file, chat(name, "input-available", ""));
    for (const std::string_view more : {R"(a \ud83d)", R"(b \udc00)"}) {
      const std::string done = chat(name, "output-available", fmt::format(R"(,"output":"out","x":"{}")", more));
      const ImportReport report = Import(file, done);
      EXPECT_THAT(report.problems, IsEmpty());
      EXPECT_EQ(report.failed, 0U);
      EXPECT_EQ(Raw("ui-messages", id), done);
    }
    EXPECT_THAT(Said(id), SizeIs(1));
    const std::string valid = chat(name, "output-available", R"(,"output":"out")");
    EXPECT_THAT(Import(file, valid).problems, IsEmpty());
    EXPECT_EQ(Raw("ui-messages", id), valid);
  }
}

// It changes until it is complete.
TEST_F(RecordRevisionsTest, HaveWhatAMessageOfOpencodeBecame) {
  Write("storage/session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})");
  Write("storage/message/s/m1.json", R"({"id":"m1","role":"assistant","cost":0})");
  Write("storage/part/m1/p1.json", R"({"id":"p1","type":"text","text":"Hi"})");
  const std::vector<fs::path> paths{dir_ / "storage"};
  Must(turnlog::Import(*log_, "auto", paths));
  for (const std::string cost : {"1", "2.5"}) {
    const std::string message = R"({"id":"m1","role":"assistant","cost":)" + cost + "}";
    Write("storage/message/s/m1.json", message);
    const ImportReport report = Must(turnlog::Import(*log_, "auto", paths));
    EXPECT_EQ(report.extended, 1);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(ExportRaw("opencode", "s")["s/message/s/m1.json"], message);
  }
}

TEST_F(RecordRevisionsTest, AreRedactedAsTheirRecords) {
  const auto with = [](std::string_view fields) {
    return GeminiDocument(GeminiMessage("m1", "gemini", fmt::format(R"("content":"hunter2-and-more"{})", fields)));
  };
  Import(kGeminiFile, with(""));
  Import(kGeminiFile, with(R"(,"tokens":{"total":123})"));
  EXPECT_EQ(Revisions(kGeminiSession), 1U);
  RedactionTargets targets;
  targets.values.push_back("hunter2-and-more");
  const auto redaction = Must(Redaction::Plan(*log_, targets));
  Must(redaction->Apply("test"));
  for (const Event& event : Events(kGeminiSession)) EXPECT_THAT(ToJson(View(event)), Not(HasSubstr("hunter2")));
  EXPECT_THAT(Raw("gemini", kGeminiSession), Not(HasSubstr("hunter2")));
}

// What only a revision has had does not come back either.
TEST_F(RecordRevisionsTest, StayRedacted) {
  const auto with = [](std::string_view fields) {
    return GeminiDocument(GeminiMessage("m1", "gemini", fmt::format(R"("content":"done"{})", fields)));
  };
  Import(kGeminiFile, with(""));
  Import(kGeminiFile, with(R"(,"note":"hunter2-and-more")"));
  EXPECT_EQ(Revisions(kGeminiSession), 1U);
  RedactionTargets targets;
  targets.values.push_back("hunter2-and-more");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  for (const char* fields : {R"(,"note":"hunter2-and-more")", R"(,"note":"hunter2-and-more","tokens":{"total":1})"}) {
    EXPECT_THAT(Import(kGeminiFile, with(fields)).problems, IsEmpty());
    for (const Event& event : Events(kGeminiSession)) EXPECT_THAT(ToJson(View(event)), Not(HasSubstr("hunter2")));
  }
}

TEST_F(RecordRevisionsTest, FollowARecordThatBecomesWhatItWas) {
  const auto with = [](std::string_view fields) {
    return GeminiDocument(GeminiMessage("m1", "gemini", fmt::format(R"("content":"done"{})", fields)));
  };
  const std::string first = with(""), second = with(R"(,"tokens":{"total":1})");
  for (const std::string& text : {first, second, first, second}) {
    Import(kGeminiFile, text);
    EXPECT_EQ(Raw("gemini", kGeminiSession), text);
  }
  EXPECT_EQ(Revisions(kGeminiSession), 3U);
}

// Another version of a reader may make other templates.
TEST_F(RecordRevisionsTest, AreNotMadeOfOtherTemplatesOfTheSameBytes) {
  Event stored{.body = ChatResponse{ChatPart::kMessage, "hi"}}, now = stored;
  stored.source_text = R"({"text":"hi"})";
  now.source_text = std::string("{\"text\":\x01") + "c}";
  RecordRevisions revisions(Must(RevisedRecords::Find(*log_, Id("a"), 0)));
  Must(revisions.Compare({.seq = Seq{2}, .event = View(stored)}, View(now)));
  const auto keep = [](const EventView&) { return Result<std::optional<Event>>(std::nullopt); };
  EXPECT_THAT(Must(revisions.Take("gemini", keep)), IsEmpty());
  now.source_text = std::string("{\"new\":1,\"text\":\x01") + "c}";
  Must(revisions.Compare({.seq = Seq{2}, .event = View(stored)}, View(now)));
  const auto found = Must(revisions.Take("gemini", keep));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(ReadRevision(View(found.front())), Seq{2});
  EXPECT_FALSE(revisions.more());
}

// Damage is a record of its own: the one before it is as it was.
TEST_F(RecordRevisionsTest, DamageDoesNotChangeTheRecordBefore) {
  const auto line = [](std::string_view id) { return ClaudeUser(id, fmt::format("\"{}\"", id)) + "\n"; };
  const std::string name = std::string(kClaudeSession) + ".jsonl";
  Import(name, line("a") + line("b"));
  const fs::path path = dir_ / name;
  for (const std::string& damage : {std::string(8, '\0') + "\n", std::string("{\"torn\":"), std::string("\"\n")}) {
    const ImportReport report = Import(name, line("a") + damage + line("d"));
    for (const ImportProblem& problem : report.problems) EXPECT_EQ(problem.code, ImportProblemCode::kQuarantined);
    EXPECT_EQ(report.failed, 0U);
  }
  std::vector<std::string> said;
  for (const Event& event : Events(kClaudeSession)) {
    if (const auto* request = std::get_if<ChatRequest>(&event.body)) said.push_back(request->content);
  }
  EXPECT_THAT(said, ::testing::ElementsAre("a", "b", "d"));
}

}  // namespace
}  // namespace turnlog::record_revisions_test
