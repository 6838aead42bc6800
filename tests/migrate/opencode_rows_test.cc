// Rows of opencode's database beside its messages and parts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/logged/import_record.h"
#include "migrate/records/record_revision.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/migrate/small_import.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::opencode_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A row of session_message. `updated`: when, in milliseconds.
std::string Row(int number, const std::string& text, int updated = 1) {
  return fmt::format("INSERT OR REPLACE INTO session_message VALUES ('m{0:04}','s',{0},{1},'{{\"text\":\"{2}\"}}');",
                     number, updated, text);
}

class OpencodeRowsTest : public ImportTest {
 protected:
  OpencodeRowsTest() : database_(dir_ / "live" / "opencode.db") {
    database_.Run(kOpencodeTables +
                  "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, "
                  "time_updated INTEGER, data TEXT) WITHOUT ROWID;");
  }

  // A prompt as messages have it, and as the other table does.
  static std::string Prompt(int number) {
    const std::string id = fmt::format("m{:04}", number);
    return OpencodeMessageRow(id, R"("role":"user")", std::to_string(number)) +
           OpencodePartRow(id + "p", id, OpencodeTextPart("Hi")) + Row(number, std::string(300, 'x'));
  }

  // Neither a problem nor a note: nothing was begun again.
  ImportReport Add(const std::string& rows) {
    database_.Run(rows);
    Settle();
    return AutoSilently(paths_);
  }
  std::uint64_t Bytes() {
    const auto info = log_->Info(Id("s"));
    return info ? info->bytes : 0;
  }
  std::string Written() { return ExportRaw("opencode", "s").at("s/s.json"); }
  // What a store is given that has no import of this database.
  std::string WrittenAnew() {
    TempStore fresh;
    Must(Import(*fresh.log, "auto", paths_));
    std::swap(log_, fresh.log);
    std::string written = Written();
    std::swap(log_, fresh.log);
    return written;
  }
  std::vector<std::string> RowNames() {
    std::vector<std::string> names;
    for (const Event& event : Events("s")) {
      if (auto name = ReadRowName(View(event))) names.push_back(*std::move(name));
    }
    return names;
  }

  TestDatabase database_;
  const std::vector<std::filesystem::path> paths_{dir_ / "live"};
};

TEST_F(OpencodeRowsTest, AreStoredOnce) {
  auto grow = [&, number = 0](int prompts) mutable {
    std::string rows;
    for (; prompts > 0; --prompts) rows += Prompt(++number);
    const std::uint64_t before = Bytes();
    Add(rows);
    return Bytes() - before;
  };
  grow(10);
  const std::uint64_t early = grow(1);
  grow(100);
  EXPECT_LT(grow(1), early + 100);
  EXPECT_THAT(PartOf("s", "header"), HasSubstr("later")) << "rows without an id stay there";
  EXPECT_EQ(Must(Import(*log_, "auto", paths_)).events, 0U);
  EXPECT_EQ(Written(), WrittenAnew());
}

TEST_F(OpencodeRowsTest, AreKeptAgainWhenTheyChange) {
  Add(Prompt(1) + Prompt(2));
  EXPECT_EQ(Add(Row(2, "changed", 2)).extended, 1);
  EXPECT_THAT(Written(), HasSubstr(R"({"text":"changed"})"));
  EXPECT_EQ(Written(), WrittenAnew());
  Add(Prompt(3));
  EXPECT_THAT(Said("s"), ElementsAre("Hi", "Hi", "Hi"));
  EXPECT_THAT(RowNames(), ElementsAre("session_message/m0001", "session_message/m0002", "session_message/m0002",
                                      "session_message/m0003"));
}

TEST_F(OpencodeRowsTest, DoNotBringInWhatWasKeptOut) {
  database_.Run(Prompt(1) + Row(2, "use " + kFakeToken));
  Must(Import(*log_, "auto", paths_, {.detect = SecretDetection::kRedact}));
  Add(Prompt(3));
  EXPECT_FALSE(IsStored(kFakeToken));
  EXPECT_THAT(RowNames(), SizeIs(3));
}

TEST_F(OpencodeRowsTest, HaveTheirPrimaryKeysAsNames) {
  Add(Prompt(1) +
      "CREATE TABLE session_share (session_id TEXT PRIMARY KEY, id TEXT, url TEXT);"
      "CREATE TABLE session_log (number INTEGER PRIMARY KEY, session_id TEXT, line TEXT);"
      "INSERT INTO session_share VALUES ('s','x','u'),('other','y','v');"
      "INSERT INTO session_log VALUES (10,'s','ten'),(9,'s','nine');");
  EXPECT_THAT(RowNames(), ElementsAre("session_log/9", "session_log/10", "session_message/m0001", "session_share/s"));
  Add("UPDATE session_share SET url='w';");
  EXPECT_EQ(Written(), WrittenAnew());
}

TEST_F(OpencodeRowsTest, MayHaveNumbersThatAreInfinite) {
  Add(Prompt(1) +
      "CREATE TABLE session_score (id TEXT PRIMARY KEY, session_id TEXT, score REAL, text TEXT);"
      "INSERT INTO session_score VALUES ('k','s',-9e999,'{\"$number\":\"inf\"}');");
  EXPECT_THAT(Written(), HasSubstr(R"("score":{"$number":"-inf"},"text":"{\"$number\":\"inf\"}")"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths_)).events, 0U);
  EXPECT_EQ(Add("UPDATE session_score SET score=NULL;").extended, 1);
  EXPECT_EQ(Written(), WrittenAnew());
}

// A primary key may be NULL, and that as often as one likes.
TEST_F(OpencodeRowsTest, MayHaveTheSameName) {
  Add(Prompt(1) +
      "CREATE TABLE session_note (id TEXT PRIMARY KEY, session_id TEXT, line TEXT);"
      "INSERT INTO session_note VALUES (NULL,'s','a'),(NULL,'s','b'),('k','s','c');");
  const std::vector<std::string> names = RowNames();
  EXPECT_THAT(names, ElementsAre("session_message/m0001", "session_note/", "session_note/ (2)", "session_note/k"));
  database_.Run("UPDATE session SET title='other';");
  Add(Prompt(2));
  EXPECT_EQ(RowNames().size(), names.size() + 1);
  EXPECT_EQ(Written(), WrittenAnew());
}

TEST_F(OpencodeRowsTest, MayBeOlderThanWhatWasImported) {
  Add(Prompt(10) + Prompt(20));
  Add(Row(15, "late"));
  Add(Prompt(30));
  EXPECT_THAT(Said("s"), ElementsAre("Hi", "Hi", "Hi"));
  EXPECT_EQ(Written(), WrittenAnew());
}

// It is open when there is no message yet that could be.
TEST_F(OpencodeRowsTest, ComeBeforeTheFirstMessage) {
  Add(Row(1, "first"));
  EXPECT_THAT(RowNames(), SizeIs(1));
  Add(Prompt(2) + OpencodeMessageRow("m0003", R"("role":"assistant")", "3") + Row(3, "beside"));
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
  const auto call = [](const std::string& state) {
    return OpencodePartRow("p3", "m0003", OpencodeToolPart("c", "ls", state));
  };
  Add(call(R"("status":"running","input":{})"));
  Add(Row(4, "while it runs"));
  Add(call(R"("status":"completed","input":{},"output":"done")") +
      OpencodeMessageRow("m0003", R"("role":"assistant","time":{"completed":1})", "3"));
  EXPECT_THAT(Written(), HasSubstr(R"("output":"done")"));
  EXPECT_THAT(Written(), Not(HasSubstr("running")));
  EXPECT_EQ(Written(), WrittenAnew());
}

// As earlier versions have imported them.
TEST_F(OpencodeRowsTest, MayHaveBeenInTheHeader) {
  Add(Prompt(1) + Prompt(2));
  TempStore older;
  std::vector<Event> events;
  ImportRecord record = ReadImportEvent(View(Events("s").front())).value();
  record.events -= RowNames().size();
  record.revisions = 0;
  for (const Event& event : Events("s")) {
    if (const auto name = ReadRowName(View(event))) {
      record.parts["header"] += R"({"table":"session_message","id":"m0001","session_id":"s"})"
                                "\n";
    } else {
      events.push_back(event);
    }
  }
  events.front() = MakeImportEvent(record);
  std::swap(log_, older.log);
  for (const Event& event : events) Append("s", event);
  EXPECT_EQ(Add("").events, 0U);
  EXPECT_EQ(Add(Prompt(3)).extended, 1);
  EXPECT_EQ(Add("").events, 0U);
  EXPECT_THAT(RowNames(), SizeIs(3));
  EXPECT_EQ(Written(), WrittenAnew());
  std::swap(log_, older.log);
}

// The log has a beginning of the import.
TEST_F(OpencodeRowsTest, ComeInAfterAnInterruption) {
  Add(Prompt(1) + Prompt(2));
  const std::vector<Event> events = Events("s");
  for (std::size_t stored = 1; stored < events.size(); ++stored) {
    TempStore store;
    std::swap(log_, store.log);
    for (std::size_t i = 0; i < stored; ++i) Append("s", events[i]);
    EXPECT_EQ(Add("").extended, 1) << stored;
    EXPECT_THAT(RowNames(), SizeIs(2)) << stored;
    EXPECT_EQ(Written(), WrittenAnew()) << stored;
    std::swap(log_, store.log);
  }
}

TEST_F(OpencodeRowsTest, ComeInOfASessionThatHasLostItsEnd) {
  Add(Prompt(1) + Prompt(2));
  database_.Run("DELETE FROM message WHERE id='m0002'; DELETE FROM part WHERE message_id='m0002';" + Row(3, "after"));
  const ImportReport report = Must(Import(*log_, "auto", paths_));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kShrunk)));
  EXPECT_THAT(Written(), HasSubstr("after"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths_)).events, 0U);
  EXPECT_THAT(Said("s"), ElementsAre("Hi", "Hi"));
}

// What repeats it is redacted, too, and not kept again.
TEST_F(OpencodeRowsTest, StayRedacted) {
  Add(Prompt(1) + Row(4, "hunter2-and-more"));
  RedactionTargets targets;
  targets.values.emplace_back("hunter2-and-more");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  database_.Run(Prompt(3) + Row(2, "as hunter2-and-more"));
  EXPECT_THAT(Must(Import(*log_, "auto", paths_)).notes,
              ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kSecretRedacted)));
  const std::size_t rows = RowNames().size();
  Add(Prompt(5));
  EXPECT_EQ(RowNames().size(), rows + 1);
  Add(Row(4, "hunter2-and-more again", 2) + "DELETE FROM session_message WHERE id='m0002';");
  for (const Event& event : Events("s")) EXPECT_THAT(ToJson(View(event)), Not(HasSubstr("hunter2")));
  EXPECT_THAT(Written(), Not(HasSubstr("hunter2")));
}

TEST_F(OpencodeRowsTest, MayBeMoreThanOneAppendHolds) {
  std::string rows;
  for (int number = 1; number <= 200; ++number) rows += Prompt(number);
  database_.Run(rows);
  const auto import = [this] { return ImportSmall(*log_, "opencode", paths_.front()); };
  EXPECT_THAT(import().problems, IsEmpty());
  database_.Run("UPDATE session_message SET time_updated=2, data='{\"text\":\"new\"}' WHERE id < 'm0150';" +
                Prompt(201) + Prompt(202));
  EXPECT_THAT(import().problems, IsEmpty());
  EXPECT_EQ(Written(), WrittenAnew());
  EXPECT_EQ(import().events, 0U);
}

TEST_F(OpencodeRowsTest, OfMessagesMayHaveNoRowids) {
  database_.Run(Prompt(1) +
                "CREATE TABLE m (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, "
                "data TEXT) WITHOUT ROWID; INSERT INTO m SELECT * FROM message; DROP TABLE message;"
                "ALTER TABLE m RENAME TO message;");
  EXPECT_EQ(Add("").added, 1);
  EXPECT_EQ(Add(Prompt(2)).extended, 1);
  EXPECT_THAT(Said("s"), ElementsAre("Hi", "Hi"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths_)).unchanged, 1);
}

}  // namespace
}  // namespace turnlog::opencode_rows_test
