#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "migrate/opencode/format.h"
#include "migrate/sources/find_sources.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::opencode_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

std::string Ask(const std::string& state) {
  return OpencodeToolPart(
      "ask", "question",
      R"("input":{"questions":[{"question":"Which?","header":"Pick","options":[{"label":"a"},{"label":"b"}]},)"
      R"({"question":"All of?","multiple":true,"options":[{"label":"c"},{"label":"d"}]}]},)" +
          state);
}

std::string Message(const std::string& info, const std::string& parts) {
  return R"({"info":{)" + info + R"(},"parts":[)" + parts + "]}";
}

std::string Document(const std::string& messages) {
  return R"({"info":{"id":"ses_1","title":"t","parentID":"ses_0"},"messages":[)" + messages + "]}\n";
}

const std::string kUser = R"("id":"m1","role":"user","time":{"created":1730000001000})";
const std::string kAssistant = R"("id":"m2","role":"assistant","time":{"created":1730000002000})";

// One of everything.
std::string Sample() {
  return Document(
      Message(kUser, OpencodeTextPart("Hi\\u00e9") + "," + OpencodeTextPart("a file", R"(,"synthetic":true)") +
                         R"(,{"type":"file","url":"u"})") +
      ",\n  " +
      Message(
          kAssistant,
          R"({"type":"step-start"},{"type":"reasoning","text":"Hm.","metadata":{"anthropic":{"signature":"Eq=="}}},)" +
              OpencodeTextPart("Looking.") + "," +
              OpencodeToolPart("c1", "bash",
                               R"("status":"completed","input":{"dir": "."},"output":"a\n","title":"ls")") +
              "," + OpencodeToolPart("c2", "bash", R"("status":"error","input":{},"error":"no")") + "," +
              OpencodeToolPart(
                  "c3", "bash",
                  R"("status":"error","input":{},"error":"The user rejected permission to use this specific tool )"
                  R"(call with the following feedback: not now")") +
              "," +
              OpencodeToolPart("c4", "task",
                               R"("status":"completed","input":{},"output":"x","metadata":{"sessionId":"ses_2"})") +
              "," + Ask(R"("status":"completed","output":"ok","metadata":{"answers":[["a"],["c","d"]]})") +
              R"(,{"type":"tool","odd":1},{"type":"step-finish","tokens":{}},{"type":"novelty"})") +
      ",\n  " + Message(R"("id":"m3","role":"assistant","summary":true)", OpencodeTextPart("The story so far.")) + "," +
      Message(R"("id":"m4","role":"assistant","error":{"name":"MessageAbortedError"})", "") + "," +
      Message(R"("id":"m5","role":"assistant")", OpencodeToolPart("c5", "bash", R"("status":"running","input":{})")));
}

ReadSource Read(const std::string& text) { return ReadFiles(kOpencodeFormat, {{"export.json", text}}); }

std::vector<std::string> ShapesOf(const std::string& info, const std::string& parts) {
  return Shapes(Read(Document(Message(info, parts))).only().events);
}

template <class Kind>
std::vector<Kind> AllOfKind(const std::string& parts) {
  std::vector<Kind> found;
  ReadSource read = Read(Document(Message(kAssistant, parts)));
  for (const Event& event : read.only().events) {
    if (const auto* body = std::get_if<Kind>(&event.body)) found.push_back(*body);
  }
  return found;
}

TEST(OpencodeTest, TurnsMessagesIntoEvents) {
  EXPECT_THAT(ShapesOf(kUser, OpencodeTextPart("Hi") + "," + OpencodeTextPart("the file", R"(,"synthetic":true)") +
                                  "," + OpencodeTextPart("and")),
              ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"chat_request","content":"the file","author":"harness"})",
                          R"({"type":"chat_request","content":"and"})"));
  EXPECT_THAT(
      ShapesOf(kAssistant, R"({"type":"reasoning","text":"Hm."},)" + OpencodeTextPart("Looking.") + "," +
                               OpencodeToolPart("c", "bash", R"("status":"completed","input":{"a": 1},"output":"x")") +
                               R"(,{"type":"patch"})"),
      ElementsAre(kTurn, R"({"type":"chat_response","reasoning":"Hm."})",
                  R"({"type":"chat_response","message":"Looking."})",
                  R"({"type":"tool_call_request","id":"c","name":"bash","arguments":{"a": 1}})",
                  R"({"type":"tool_call_response","id":"c","content":"x","is_error":false})", "foreign"));
  EXPECT_THAT(ShapesOf(kAssistant, ""), ElementsAre("foreign"));
}

// Each call is followed by its result, although those of one step were made together.
TEST(OpencodeTest, NamesTheStepThatCallsWereMadeIn) {
  const auto call = [](const std::string& id) {
    return OpencodeToolPart(id, "bash", R"("status":"completed","input":{},"output":"x")");
  };
  const std::string start = R"({"type":"step-start"})";
  ReadSource read =
      Read(Document(Message(kAssistant, start + "," + call("a") + "," + call("b") + "," + start + "," + call("c")) +
                    "," + Message(R"("id":"m3","role":"assistant")", call("d"))));
  std::vector<std::string> steps;
  for (const Event& event : read.only().events) {
    if (event.kind() == EventKind::kToolCallRequest) steps.emplace_back(event.metadata.text());
  }
  EXPECT_THAT(steps, ElementsAre(R"({"message_id":"m2"})", R"({"message_id":"m2"})", R"({"message_id":"m2#2"})",
                                 R"({"message_id":"m3"})"));
}

TEST(OpencodeTest, EndsTheTurnsThatASummaryReplaces) {
  ReadSource read =
      Read(Document(Message(kUser, OpencodeTextPart("one")) + "," +
                    Message(R"("id":"m3","role":"assistant","summary":true)", OpencodeTextPart("So far.")) + "," +
                    Message(R"("id":"m4","role":"assistant")", OpencodeTextPart("On."))));
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(kTurn, HasSubstr("one"), HasSubstr(R"("from_turn":0,"to_turn":0,"summary":{"summary":"So far."})"),
                  kTurn, HasSubstr("On.")));
}

TEST(OpencodeTest, TurnsQuestionsIntoInquiries) {
  const auto pending = AllOfKind<InquiryRequest>(Ask(R"("status":"running")"));
  ASSERT_THAT(pending, SizeIs(2));
  EXPECT_EQ(pending[0].id.text, "ask.q1.1");
  EXPECT_EQ(pending[1].question.answer_type.kind, AnswerKind::kMultiSelect);
  EXPECT_THAT(AllOfKind<InquiryResponse>(Ask(R"("status":"running")")), IsEmpty());

  const auto answers = AllOfKind<InquiryResponse>(
      Ask(R"("status":"completed","output":"ok","metadata":{"answers":[["mine"],["c","d"]]})"));
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].answer.text(), R"("mine")");
  EXPECT_EQ(answers[1].answer.text(), R"(["c","d"])");

  const auto reason = [](const std::string& state) { return AllOfKind<InquiryResponse>(Ask(state)).at(0).reason; };
  EXPECT_EQ(reason(R"("status":"error","error":"The user dismissed this question")"), "user");
  EXPECT_EQ(reason(R"("status":"error","error":"QuestionRejectedError: The user dismissed this question")"), "user");
  EXPECT_EQ(reason(R"("status":"error","error":"Tool execution aborted")"), "backend_error");
  EXPECT_EQ(reason(R"("status":"completed","output":"ok","metadata":{"answers":[[],[]]})"), "unspecified");
}

TEST(OpencodeTest, RecognisesDenials) {
  const auto result = [](const std::string& error) {
    return AllOfKind<ToolCallResponse>(
               OpencodeToolPart("c", "bash", R"("status":"error","input":{},"error":")" + error + "\""))
        .at(0);
  };
  EXPECT_EQ(result("The user rejected permission to use this specific tool call.").denied->responder->kind, "user");
  EXPECT_EQ(result("The user rejected permission to use this specific tool call with the following feedback: no")
                .denied->reason,
            "no");
  EXPECT_EQ(result("The user has specified a rule which prevents you from using this specific tool call. []")
                .denied->responder->kind,
            "policy");
  EXPECT_FALSE(result("it said: The user rejected permission to use this").denied);
  const auto named = result("Error: The user rejected permission to use this specific tool call.");
  EXPECT_EQ(named.denied->responder->kind, "user");
  EXPECT_EQ(named.content, "Error: The user rejected permission to use this specific tool call.");
  EXPECT_FALSE(result("An Error: The user rejected permission to use this specific tool call.").denied);
}

TEST(OpencodeTest, LinksSubagentsToTheirCalls) {
  ReadSource read = Read(Sample());
  EXPECT_EQ(read.only().parts["parent"], "ses_0");
  EXPECT_THAT(read.conversations, ElementsAre(Key("ses_1")));
  std::size_t linked = 0;
  for (const Event& event : read.only().events) linked += event.metadata.text() == R"({"agent":"ses_2"})" ? 1U : 0U;
  EXPECT_EQ(linked, 1);
}

TEST(OpencodeTest, WritesEveryMessageBackByteForByte) {
  ReadSource read = Read(Sample());
  EXPECT_EQ(read.only().written, Sample());
  EXPECT_EQ(read.taken, Sample().size());
  EXPECT_THAT(read.problems, IsEmpty());
  ExpectThatUnknownKindsAreKept(kOpencodeFormat, "export.json", Sample());
}

TEST(OpencodeTest, LosesNothingWhereverADocumentEndsOrIsDamaged) {
  const std::string sample = Sample();
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    ASSERT_EQ(Read(sample.substr(0, at)).only().written, sample.substr(0, at)) << at;
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(text).only().written, text) << at;
    }
  }
}

const std::string kPrompt =
    OpencodeMessageRow("m1", R"("role":"user")") + OpencodePartRow("p1", "m1", OpencodeTextPart("Hi"));
const std::string kRunning = R"("status":"running","input":{})";
const std::string kDone = R"("status":"completed","input":{},"output":"x")";

class OpencodeImportTest : public ImportTest {
 protected:
  ReadSource ReadRows(const std::string& sql) {
    TestDatabase database(dir_ / ("db" + std::to_string(++number_)) / "opencode.db");
    database.Run(kOpencodeTables + sql);
    return ReadFiles(kOpencodeFormat, database.Files());
  }

 private:
  int number_ = 0;
};

TEST_F(OpencodeImportTest, TurnsRowsIntoEvents) {
  ReadSource read =
      ReadRows(kPrompt + OpencodeMessageRow("m2", R"("role":"assistant","time":{"completed":1})") +
               OpencodePartRow("p2", "m2", OpencodeTextPart("Looking.")) +
               OpencodePartRow("p3", "m2", OpencodeToolPart("c", "ls", kDone)) + OpencodePartRow("p4", "m2", "torn {"));
  ASSERT_THAT(read.conversations, ElementsAre(Key("s")));
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre("foreign", kTurn, HasSubstr("Hi"), "foreign", HasSubstr("Looking."),
                          HasSubstr("tool_call_request"), HasSubstr("tool_call_response"), "foreign"));
  EXPECT_EQ(read.only().events[2].event_id, "p1#1");
  EXPECT_EQ(read.only().parts["parent"], "up");
  EXPECT_THAT(read.only().written, HasSubstr(R"({"table":"todo","session_id":"s","content":"later"})"));
  EXPECT_EQ(read.source_size, read.only().written.size());
  EXPECT_EQ(read.taken, read.source_size);
}

TEST_F(OpencodeImportTest, LeavesOutWhatIsStillBeingWritten) {
  const std::string open = kPrompt + OpencodeMessageRow("m2", R"("role":"assistant")");
  const auto last = [&](const std::string& sql) {
    std::vector<std::string> shapes = Shapes(ReadRows(open + sql).only().events);
    std::erase(shapes, "foreign");
    return shapes.back();
  };
  EXPECT_THAT(last(OpencodePartRow("p2", "m2", OpencodeTextPart("Hal", R"(,"time":{"start":1})"))), HasSubstr("Hi"));
  EXPECT_THAT(last(OpencodePartRow("p2", "m2", OpencodeTextPart("Half", R"(,"time":{"start":1,"end":2})"))),
              HasSubstr("Half"));
  EXPECT_THAT(last(OpencodePartRow("p2", "m2", OpencodeToolPart("c", "ls", R"("status":"pending","input":{})"))),
              HasSubstr("Hi"));
  EXPECT_THAT(last(OpencodePartRow("p2", "m2", OpencodeToolPart("c", "ls", kRunning)) +
                   OpencodePartRow("p3", "m2", OpencodeToolPart("d", "ls", kDone))),
              HasSubstr(R"("id":"c")"));
  EXPECT_THAT(last(OpencodePartRow("p2", "m2", OpencodeTextPart("Hal", R"(,"time":{"start":1})")) +
                   OpencodeMessageRow("m3", R"("role":"assistant")")),
              HasSubstr("Hal"))
      << "another answer follows";
}

TEST_F(OpencodeImportTest, FollowsASessionThatGoesOn) {
  TestDatabase database(dir_ / "live" / "opencode.db");
  database.Run("PRAGMA journal_mode=WAL;" + kOpencodeTables + kPrompt +
               OpencodeMessageRow("m2", R"("role":"assistant")") +
               OpencodePartRow("p2", "m2", Ask(R"("status":"running")")) +
               OpencodePartRow("p3", "m2", OpencodeToolPart("d", "ls", kRunning)));
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(2)) << "what waits there waits here";
  database.Run(
      OpencodePartRow("p2", "m2", Ask(R"("status":"completed","output":"ok","metadata":{"answers":[["a"],["c"]]})")) +
      OpencodePartRow("p3", "m2", OpencodeToolPart("d", "ls", kDone)) +
      OpencodeMessageRow("m2", R"("role":"assistant","time":{"completed":1})"));
  const ImportReport report = Must(Import(*log_, "opencode", paths));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
}

// What an import adds follows what is new, however long the session is.
TEST_F(OpencodeImportTest, StoresWhatIsNewOfALongSession) {
  TestDatabase database(dir_ / "live" / "opencode.db");
  database.Run("PRAGMA journal_mode=WAL;" + kOpencodeTables);
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  auto grow = [&, number = 0](int messages) mutable {
    std::string rows;
    for (; messages > 0; --messages, ++number) {
      const std::string id = fmt::format("m{:04}", number);
      rows += OpencodeMessageRow(id, R"("role":"user","note":")" + std::string(200, 'x') + "\"") +
              OpencodePartRow(id + "p", id, OpencodeTextPart("Hi"));
    }
    database.Run(rows);
    const auto bytes = [&] {
      const auto info = log_->Info(Id("s"));
      return info ? info->bytes : 0;
    };
    const std::uint64_t before = bytes();
    EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty());
    return bytes() - before;
  };
  grow(10);
  const std::uint64_t early = grow(1);
  grow(200);
  EXPECT_LT(grow(1), early + 200);
}

TEST_F(OpencodeImportTest, RefusesOtherDatabases) {
  TestDatabase database(dir_ / "x" / "x.db");
  database.Run("CREATE TABLE message (id TEXT)");
  EXPECT_THAT(ReadFiles(kOpencodeFormat, database.Files()).problems, ElementsAre("x.db: malformed"));
}

TEST_F(OpencodeImportTest, SurvivesDamageToADatabase) {
  TestDatabase database(dir_ / "x" / "x.db");
  database.Run("PRAGMA page_size=512; VACUUM;" + kOpencodeTables + kPrompt);
  const std::string bytes = database.Files().front().second;
  for (std::size_t at = 0; at < bytes.size(); at += kByteStep) {
    std::string text = bytes;
    text[at] = static_cast<char>(text[at] ^ 0x81);
    const ReadSource read = ReadFiles(kOpencodeFormat, {{"x.db", text}});
    ASSERT_TRUE(!read.conversations.empty() || !read.problems.empty() || at < 2048) << at;
  }
}

// What a copy of a database has after a part of it was lost.
class OpencodeCutOff : public OpencodeImportTest {
 protected:
  static constexpr int kParts = 60;

  OpencodeCutOff() : database_(dir_ / "long" / "opencode.db") {
    std::string sql = "PRAGMA page_size=512; VACUUM;" + kOpencodeTables + OpencodeMessageRow("m1", R"("role":"user")");
    for (int i = 0; i < kParts; ++i) {
      sql += OpencodePartRow(fmt::format("p{:03}", i), "m1",
                             OpencodeTextPart(fmt::format("prompt {} {}", i, std::string(100, 'x'))));
    }
    database_.Run(sql + "CREATE INDEX parts ON part (message_id, id);");
    bytes_ = database_.Files().front().second;
  }

  ReadSource Read(const std::string& bytes) { return ReadFiles(kOpencodeFormat, {{"x.db", bytes}}); }
  static std::ptrdiff_t CountPrompts(const ReadSource& read) {
    std::ptrdiff_t prompts = 0;
    for (const auto& [name, conversation] : read.conversations) {
      prompts += std::ranges::count(conversation.events, EventKind::kChatRequest, &Event::kind);
    }
    return prompts;
  }

  TestDatabase database_;
  std::string bytes_;
};

TEST_F(OpencodeCutOff, ADatabaseNeverLosesRowsSilently) {
  ASSERT_EQ(CountPrompts(Read(bytes_)), kParts);
  std::ptrdiff_t most = 0;
  for (std::size_t size = 512; size < bytes_.size(); size += 37) {
    const ReadSource read = Read(bytes_.substr(0, size));
    EXPECT_FALSE(read.problems.empty() && read.notes.empty()) << size;
    most = std::max(most, CountPrompts(read));
  }
  EXPECT_GT(most, kParts / 2) << "what is there is read";
}

// A page that is cut within its header looks like one without entries.
TEST_F(OpencodeCutOff, APageOfAnIndexHidesNoRows) {
  constexpr std::size_t kPage = 512, kBranchOfIndex = 2, kLeafOfIndex = 10;
  std::size_t pages = 0;
  for (std::size_t page = kPage; page + kPage <= bytes_.size(); page += kPage) {
    const auto type = static_cast<std::size_t>(bytes_[page]);
    if (type != kBranchOfIndex && type != kLeafOfIndex) continue;
    ++pages;
    const ReadSource read = Read(bytes_.substr(0, page + 3));
    EXPECT_FALSE(read.problems.empty() && read.notes.empty()) << page;
  }
  EXPECT_GT(pages, 2U);
}

TEST_F(OpencodeCutOff, ADatabaseThatWasMendedIsImportedAsAWhole) {
  const std::vector<std::filesystem::path> paths{Write("opencode.db", bytes_.substr(0, bytes_.size() - 600))};
  const ImportReport torn = Must(Import(*log_, "opencode", paths));
  EXPECT_THAT(torn.problems, SizeIs(1));
  Write("opencode.db", bytes_);
  const ImportReport mended = Must(Import(*log_, "opencode", paths));
  EXPECT_THAT(mended.problems, IsEmpty());
  const std::vector<Event> events = Events("s");
  EXPECT_EQ(std::ranges::count(events, EventKind::kChatRequest, &Event::kind), kParts);
}

TEST_F(OpencodeImportTest, WritesADocumentBack) {
  const std::vector<std::filesystem::path> paths{Write("export.json", Sample())};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_THAT(ExportRaw("opencode", "ses_1"), ElementsAre(testing::Pair("ses_1/ses_1.json", Sample())));
}

TEST_F(OpencodeImportTest, IsDetectedByTheContents) {
  const auto detect = [&](const std::string& name, const std::string& text) {
    const ImportTest::TempStore store;
    const std::vector<std::filesystem::path> paths{Write(name, text)};
    return Must(Import(*store.log, "auto", paths)).added;
  };
  EXPECT_EQ(detect("full.jsonl", Sample()), 1) << "in spite of its name";
  EXPECT_EQ(detect("a.json", R"({"info":{"id":"s"},"messages":[{"role":"user"}]})"), 0);
  EXPECT_EQ(detect("part.json", R"({"id":"part","type":"compaction","auto":true})"), 0);
}

}  // namespace
}  // namespace turnlog::opencode_test
