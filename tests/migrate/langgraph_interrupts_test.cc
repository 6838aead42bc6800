// Which answer belongs to which question of a LangGraph thread, as its checkpointer leaves the rows of tasks that wait,
// were resumed, or are done.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/langgraph/format.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"

namespace turnlog::langgraph_interrupts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kThread = "00000000-0000-0000-0000-000000000000";

// A write to the last checkpoint. One that is at the index of another one replaces it, and comes last.
std::string Write(const std::string& task, int index, const std::string& channel, const std::string& json) {
  return fmt::format(
      "INSERT OR REPLACE INTO writes SELECT 't','',max(checkpoint_id),{},{},{},'json',{} FROM "
      "checkpoints;",
      Quoted(task), index, Quoted(channel), Quoted(json));
}
std::string Asks(const std::string& task, const std::string& question) {
  return Write(task, -3, "__interrupt__", fmt::format(R"([{{"value":"{}","id":"id{}"}}])", question, task));
}
std::string Resumed(const std::string& answer) { return Write(kThread, -4, "__resume__", answer); }
std::string List(const std::string& task, const std::string& answers) { return Write(task, -4, "__resume__", answers); }
// The task is done. `used`: how many answers it has written in its last run.
std::string Done(const std::string& task, int used) { return Write(task, used, "x", "1"); }

std::string Checkpoint(const std::string& id) {
  return "INSERT INTO checkpoints VALUES ('t',''," + Quoted(id) + ",NULL,'json'," +
         Quoted(R"({"channel_values":{"messages":[{"type":"human","id":"h","content":"Hi"}]}})") + ",'{}');";
}

const std::string kBegin =
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT,"
    " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
    "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,"
    " channel TEXT, type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));" +
    Checkpoint("1");

// The inquiries among the events: "id: question" and "id = answer".
std::vector<std::string> Inquiries(const std::vector<Event>& events) {
  std::vector<std::string> inquiries;
  for (const Event& event : events) {
    if (const auto* asked = std::get_if<InquiryRequest>(&event.body)) {
      inquiries.push_back(asked->id.text + ": " + asked->question.text);
    }
    if (const auto* answered = std::get_if<InquiryResponse>(&event.body)) {
      inquiries.push_back(answered->id.text + " = " + std::string(answered->answer.text()));
    }
  }
  return inquiries;
}

class LangGraphInterruptsTest : public ImportTest {
 protected:
  std::vector<std::string> InquiriesOf(const std::string& sql) {
    TestDatabase database(dir_ / fmt::format("db{}", ++number_) / "checkpoints.sqlite");
    database.Run(kBegin + sql);
    ReadSource read = ReadFiles(kLangGraphFormat, database.Files());
    EXPECT_THAT(read.problems, IsEmpty());
    EXPECT_EQ(read.taken, read.source_size);
    return Inquiries(read.only().events);
  }

 private:
  int number_ = 0;
};

TEST_F(LangGraphInterruptsTest, BelongToTheirTasks) {
  const std::string asked = Asks("A", "Delete?") + Asks("B", "Send?");
  EXPECT_THAT(InquiriesOf(asked + List("B", R"(["yes"])") + Done("B", 1) + List("A", R"(["no"])") + Done("A", 1)),
              ElementsAre("idA.interrupt.1: Delete?", "idB.interrupt.1: Send?", R"(idB.interrupt.1 = "yes")",
                          R"(idA.interrupt.1 = "no")"));
  EXPECT_THAT(InquiriesOf(asked + Resumed(R"("yes")")),
              ElementsAre("idA.interrupt.1: Delete?", "idB.interrupt.1: Send?"))
      << "nothing shows which one it answers";
  EXPECT_THAT(InquiriesOf(Asks("A", "Delete?") + Resumed(R"("no")") + List("A", R"(["no"])") + Done("A", 1) +
                          Asks("B", "Send?")),
              ElementsAre("idA.interrupt.1: Delete?", R"(idA.interrupt.1 = "no")", "idB.interrupt.1: Send?"));
  EXPECT_THAT(InquiriesOf(Asks("A", "Delete?") + List("A", R"(["no"])") + Done("A", 1) + Asks("B", "Send?") +
                          Resumed(R"("yes")")),
              ElementsAre("idA.interrupt.1: Delete?", R"(idA.interrupt.1 = "no")", "idB.interrupt.1: Send?",
                          R"(idB.interrupt.1 = "yes")"))
      << "a task that is done waits for nothing";
}

TEST_F(LangGraphInterruptsTest, MayBeAnsweredByLists) {
  EXPECT_THAT(InquiriesOf(Asks("A", "Which?") + Resumed(R"(["a","b"])")),
              ElementsAre("idA.interrupt.1: Which?", R"(idA.interrupt.1 = ["a","b"])"));
  EXPECT_THAT(InquiriesOf(Asks("A", "Which?") + Resumed(R"(["a","b"])") + List("A", R"([["a","b"]])") + Done("A", 1)),
              ElementsAre("idA.interrupt.1: Which?", R"(idA.interrupt.1 = ["a","b"])"));
  EXPECT_THAT(InquiriesOf(Asks("A", "Which?") + List("A", R"([["a","b"]])") + Done("A", 1)),
              ElementsAre("idA.interrupt.1: Which?", R"(idA.interrupt.1 = ["a","b"])"));
}

// A task that is resumed runs again: its next question replaces the one before.
TEST_F(LangGraphInterruptsTest, MayComeOneAfterAnother) {
  const std::string second = Asks("A", "Whose?") + Resumed(R"("Ann")") + Asks("A", "Really?") + List("A", R"(["Ann"])");
  const std::string asked = "idA.interrupt.2: Really?", earlier = R"(idA.interrupt.1 = "Ann")";
  EXPECT_THAT(InquiriesOf(second), ElementsAre(asked, earlier)) << "it waits";
  EXPECT_THAT(InquiriesOf(second + Resumed(R"("no")")), ElementsAre(asked, earlier, R"(idA.interrupt.2 = "no")"));
  EXPECT_THAT(InquiriesOf(second + Resumed(R"("no")") + Done("A", 1)),
              ElementsAre(asked, earlier, R"(idA.interrupt.2 = "no")"))
      << "the list stays";
  EXPECT_THAT(InquiriesOf(second + Resumed(R"("no")") + List("A", R"(["Ann","no"])") + Done("A", 2)),
              ElementsAre(asked, R"(idA.interrupt.2 = "no")", earlier))
      << "the list is written again";
  EXPECT_THAT(InquiriesOf(Asks("A", "Really?") + List("A", R"(["Ann"])") + Done("A", 2)), ElementsAre(asked, earlier))
      << "resumed by ids: the answer was not written";
  EXPECT_THAT(InquiriesOf(Asks("A", "Really?") + List("A", R"(["Ann","no"])") + Done("A", 2)),
              ElementsAre(asked, earlier, R"(idA.interrupt.2 = "no")"));
}

// Each import sees the question that waits then.
TEST_F(LangGraphInterruptsTest, ArePairedWithEarlierOnesInTheLog) {
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  const auto import = [&](const std::string& sql) {
    database.Run(sql);
    const std::filesystem::path live = dir_ / "live";
    const ImportReport report = Must(Import(*log_, "langgraph", {&live, 1}));
    EXPECT_THAT(report.problems, IsEmpty());
    std::vector<std::string> pending;
    for (const PendingInquiry& inquiry : Must(log_->Pending(std::nullopt))) {
      pending.push_back(std::get<InquiryRequest>(Events("t").at(inquiry.request.value - 1).body).question.text);
    }
    return pending;
  };
  EXPECT_THAT(import(kBegin + Asks("A", "Whose?")), ElementsAre("Whose?"));
  EXPECT_THAT(import(Resumed(R"("Ann")") + Asks("A", "Really?") + List("A", R"(["Ann"])")), ElementsAre("Really?"));
  EXPECT_THAT(import(Resumed(R"("no")") + Done("A", 1) + Checkpoint("2")), IsEmpty());
  EXPECT_THAT(Inquiries(Events("t")), ElementsAre("idA.interrupt.1: Whose?", "idA.interrupt.2: Really?",
                                                  R"(idA.interrupt.1 = "Ann")", R"(idA.interrupt.2 = "no")"));
}

// What waits on is written again, after what the other task did.
TEST_F(LangGraphInterruptsTest, MayBeWrittenAgain) {
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  const std::filesystem::path live = dir_ / "live";
  database.Run(kBegin + Asks("A", "Delete?") + Asks("B", "Send?"));
  EXPECT_THAT(Must(Import(*log_, "langgraph", {&live, 1})).problems, IsEmpty());
  database.Run(List("A", R"(["no"])") + Done("A", 1) + Asks("B", "Send?"));
  EXPECT_THAT(Must(Import(*log_, "langgraph", {&live, 1})).problems, IsEmpty());
  EXPECT_THAT(Inquiries(Events("t")),
              ElementsAre("idA.interrupt.1: Delete?", "idB.interrupt.1: Send?", R"(idA.interrupt.1 = "no")"));
  EXPECT_EQ(Must(log_->Pending(std::nullopt)).size(), 1U);
}

}  // namespace
}  // namespace turnlog::langgraph_interrupts_test
