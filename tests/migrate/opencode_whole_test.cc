// The messages of version 2 of opencode: each is one row.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "migrate/opencode/format.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/usage.h"

namespace turnlog::opencode_whole_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kWholeTables =
    "CREATE TABLE session_v2 (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, time_created INTEGER, "
    "time_updated INTEGER);"
    "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, "
    "time_updated INTEGER, data TEXT);";
const std::string kSession = "INSERT INTO session_v2 VALUES ('s','p','up','t',1,1);";
constexpr std::int64_t kTime = 1'790'000'000'000;

// `data`: what the message has besides its time.
std::string WholeRow(int number, const std::string& type, const std::string& data, const std::string& time = {}) {
  return fmt::format("INSERT OR REPLACE INTO session_message VALUES ('msg_{0}','s','{1}',{0},{2},{2},{3});", number,
                     type, kTime + number,
                     Quoted(fmt::format(R"({{{}"time":{{"created":{}{}}}}})", data, kTime + number, time)));
}

std::string WholeUser(int number, const std::string& text) {
  return WholeRow(number, "user", R"("text":")" + text + R"(","files":[],)");
}

std::string WholeAnswer(int number, const std::string& content, bool complete = true) {
  return WholeRow(number, "assistant",
                  R"("agent":"build","model":{"id":"opus","providerID":"a"},"content":[)" + content +
                      R"(],"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}},)",
                  complete ? R"(,"completed":5)" : "");
}

std::string WholeText(const std::string& text) { return R"({"type":"text","id":"t","text":")" + text + R"("})"; }

std::string WholeTool(const std::string& call, const std::string& name, const std::string& state) {
  return R"({"type":"tool","id":")" + call + R"(","name":")" + name + R"(","state":{)" + state + R"(},"time":{}})";
}

const std::string kAsked =
    R"("input":{"questions":[{"question":"Which?","header":"Pick","options":[{"label":"a"},{"label":"b"}]}]},)";

class OpencodeWholeTest : public ImportTest {
 protected:
  OpencodeWholeTest() : database_(dir_ / "live" / "opencode.db") { database_.Run(kWholeTables + kSession); }

  ImportReport Add(const std::string& rows) {
    database_.Run(rows);
    Settle();
    return AutoSilently(paths_);
  }
  // Of the session, without what is beside the messages.
  std::vector<std::string> Shown() {
    std::vector<std::string> shown;
    for (std::string& shape : Shapes(Events("s"))) {
      if (shape != "foreign" && shape != "import") shown.push_back(std::move(shape));
    }
    return shown;
  }

  TestDatabase database_;
  const std::vector<std::filesystem::path> paths_{dir_ / "live"};
};

TEST_F(OpencodeWholeTest, BecomeEvents) {
  const ImportReport report =
      Add(WholeRow(1, "agent-switched", R"("agent":"build",)") + WholeUser(2, "Hi") +
          WholeAnswer(3, R"({"type":"reasoning","id":"r","text":"Hm.","providerMetadata":{"a":{"signature":"x"}}},)" +
                             WholeText("Hello.") + "," +
                             WholeTool("c1", "bash",
                                       R"("status":"completed","input":{"command":"ls"},"content":)"
                                       R"([{"type":"text","text":"a.txt"}],"structured":{"exit":0})") +
                             "," +
                             WholeTool("c2", "bash",
                                       R"("status":"error","input":{},"content":[],"error":)"
                                       R"({"type":"unknown","message":"The user rejected permission to )"
                                       R"(use this specific tool call."})")) +
          WholeRow(4, "synthetic", R"("text":"A task is done.",)") + WholeRow(5, "idle", ""));
  EXPECT_EQ(report.added, 1U);
  EXPECT_THAT(
      Shown(),
      ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"Hi"})",
                  R"({"type":"chat_response","reasoning":"Hm."})", R"({"type":"chat_response","message":"Hello."})",
                  R"({"type":"tool_call_request","id":"c1","name":"bash","arguments":{"command":"ls"}})",
                  R"({"type":"tool_call_response","id":"c1","content":"a.txt","is_error":false})",
                  HasSubstr(R"("id":"c2")"), AllOf(HasSubstr(R"("denied")"), HasSubstr(R"("kind":"user")")),
                  R"({"type":"chat_request","content":"A task is done.","author":"harness"})"));
  EXPECT_EQ(Add("").unchanged, 1U);
  EXPECT_THAT(ExportRaw("opencode", "s").at("s/s.json"), AllOf(HasSubstr("session_v2"), HasSubstr("a.txt")));
}

TEST_F(OpencodeWholeTest, ACompactionHidesWhatWasBefore) {
  Add(WholeUser(1, "Hi") + WholeAnswer(2, WholeText("Hello.")) +
      WholeRow(3, "compaction", R"("reason":"auto","summary":"So far.","recent":"",)") +
      WholeAnswer(4, WholeText("On.")));
  EXPECT_THAT(Shown(), ElementsAre(R"({"type":"turn_start"})", HasSubstr("Hi"), HasSubstr("Hello."),
                                   AllOf(HasSubstr("compaction"), HasSubstr("So far.")), R"({"type":"turn_start"})",
                                   HasSubstr("On.")));
}

TEST_F(OpencodeWholeTest, AMessageWaitsUntilItIsComplete) {
  Add(WholeUser(1, "Hi") + WholeAnswer(2, WholeText("Hel"), false) + WholeUser(3, "And?"));
  EXPECT_THAT(Shown(), SizeIs(2));
  Add(WholeAnswer(2, WholeText("Hello.")));
  EXPECT_THAT(Shown(), ElementsAre(R"({"type":"turn_start"})", HasSubstr("Hi"), HasSubstr("Hello."),
                                   R"({"type":"turn_start"})", HasSubstr("And?")));
  Add(WholeAnswer(4, WholeText("Th"), false) + WholeAnswer(5, WholeText("This."), false));
  EXPECT_THAT(Shown(), SizeIs(6)) << "opencode was ended while it wrote one";
}

TEST_F(OpencodeWholeTest, AQuestionIsPendingWhileItsCallRuns) {
  const std::string asks = WholeText("Well.") + ",";
  Add(WholeUser(1, "Hi") +
      WholeAnswer(2, asks + WholeTool("c", "question", R"("status":"running",)" + kAsked + R"("content":[])"), false));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(1));
  Add(WholeAnswer(2, asks +
                         WholeTool("c", "question",
                                   R"("status":"completed",)" + kAsked +
                                       R"("content":[{"type":"text","text":"answered"}],)"
                                       R"("structured":{"answers":[["b"]]})") +
                         "," + WholeText("Done.")));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_THAT(Shown(), ElementsAre(R"({"type":"turn_start"})", HasSubstr("Hi"), HasSubstr("Well."), HasSubstr(R"("c")"),
                                   HasSubstr("Which?"), HasSubstr(R"("answer":"b")"), HasSubstr("answered"),
                                   HasSubstr("Done.")));
  EXPECT_EQ(Add("").unchanged, 1U);
}

// Version 2 copies the messages of version 1, and leaves these where they are.
TEST_F(OpencodeWholeTest, ASessionOfVersion1GoesOn) {
  database_.Run(kOpencodeTables + OpencodeMessageRow("m1", R"("role":"user")", std::to_string(kTime + 1)) +
                OpencodePartRow("p1", "m1", OpencodeTextPart("Hi")) +
                OpencodeMessageRow("m2", R"("role":"assistant","time":{"completed":1})", std::to_string(kTime + 2)) +
                OpencodePartRow("p2", "m2", OpencodeTextPart("Hello.")) + "DELETE FROM session_v2;");
  Add("");
  EXPECT_THAT(Shown(), SizeIs(3));
  Add(kSession + WholeUser(1, "Hi") + WholeAnswer(2, WholeText("Hello.")) + WholeUser(3, "And?") +
      WholeAnswer(4, WholeText("That.")));
  EXPECT_THAT(Shown(), ElementsAre(R"({"type":"turn_start"})", HasSubstr("Hi"), HasSubstr("Hello."),
                                   R"({"type":"turn_start"})", HasSubstr("And?"), HasSubstr("That.")));
  EXPECT_EQ(Add("").unchanged, 1U);
}

TEST_F(OpencodeWholeTest, TheirTokensCount) {
  Add(WholeUser(1, "Hi") + WholeAnswer(2, WholeText("Hello.")));
  const UsageReport report = Must(CountUsage(*log_, UsageBy::kModel, std::array{Id("s")}));
  ASSERT_THAT(report.rows, SizeIs(1));
  EXPECT_EQ(report.rows[0].name, "opus");
  EXPECT_EQ(report.rows[0].tokens,
            (TokenUsage{.input = 1, .cache_write = 5, .cache_read = 4, .output = 5, .reasoning = 3}));
}

}  // namespace
}  // namespace turnlog::opencode_whole_test
