// In which order messages and parts of opencode come, and which wait for others.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/opencode/format.h"
#include "migrate/opencode/id_order.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::opencode_order_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The numbers in ids began again at 0 then.
constexpr std::uint64_t kRestart = 26ULL << 36;

// An id as opencode makes it at this time, from kRestart on, in milliseconds.
std::string IdAt(std::string_view kind, std::int64_t time) {
  return fmt::format("{}_{:012x}AAAAAAAAAAAAAA", kind, static_cast<std::uint64_t>(time) << 12 & ((1ULL << 48) - 1));
}

// A message of the user with one text.
std::string Prompt(std::int64_t time, const std::string& text) {
  const std::string id = IdAt("msg", time);
  return OpencodeMessageRow(id, R"("role":"user")", std::to_string(static_cast<std::int64_t>(kRestart) + time)) +
         OpencodePartRow(IdAt("prt", time), id, OpencodeTextPart(text));
}

class OpencodeOrderTest : public ImportTest {
 protected:
  std::vector<std::string> Shaped(const std::string& conversation) {
    std::vector<std::string> shapes = Shapes(Events(conversation));
    std::erase_if(shapes, [](const std::string& shape) { return shape == "foreign" || shape.contains("import"); });
    return shapes;
  }
};

TEST(OpencodeIdOrder, KnowsWhichIdsWereMadeAfterTheNumbersBeganAgain) {
  EXPECT_EQ(OpencodeIdNumber("msg_0000000000ffAAAA"), 255U);
  EXPECT_EQ(OpencodeIdNumber("msg_00000000"), std::nullopt);
  EXPECT_EQ(OpencodeIdNumber("p1"), std::nullopt);
  OpencodeIdOrder order;
  for (const std::string& id : {IdAt("msg", -5), IdAt("msg", 5), std::string("odd")}) order.Add(id);
  EXPECT_TRUE(order.IsAfterRestart(IdAt("msg", 5)));
  EXPECT_FALSE(order.IsAfterRestart(IdAt("msg", -5)));
  EXPECT_FALSE(order.IsAfterRestart("odd"));
}

TEST_F(OpencodeOrderTest, ASessionGoesOnWhenTheNumbersOfIdsBeginAgain) {
  TestDatabase database(dir_ / "live" / "opencode.db");
  database.Run(kOpencodeTables + Prompt(-9000, "one") + Prompt(-8000, "two"));
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  Must(Import(*log_, "auto", paths));
  database.Run(Prompt(7000, "three"));
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one", "two", "three"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
}

// Also where the table has no column with the time.
TEST_F(OpencodeOrderTest, TakesTheTimeOfAMessageFromWhereItIs) {
  TestDatabase database(dir_ / "live" / "opencode.db");
  database.Run(
      "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);"
      "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT);"
      R"(INSERT INTO message VALUES ('m1','s','{"role":"user","time":{"created":2}}'),)"
      R"(('m2','s','{"role":"user","time":{"created":1}}'),('m0','s','torn {');)"
      R"(INSERT INTO part VALUES ('p1','m1','{"type":"text","text":"later"}'),('p2','m2','{"type":"text","text":"first"}');)");
  Must(Import(*log_, "opencode", std::vector{dir_ / "live"}));
  EXPECT_THAT(Said("s"), ElementsAre("first", "later"));
}

TEST_F(OpencodeOrderTest, PartsOfAMessageAreOnBothSides) {
  const std::string id = IdAt("msg", -2);
  TestDatabase database(dir_ / "live" / "opencode.db");
  std::string rows = OpencodeMessageRow(id, R"("role":"assistant","time":{"completed":1})");
  std::string parts;
  for (const std::int64_t time : {1, 2, -1}) {  // as ids are sorted
    rows += OpencodePartRow(IdAt("prt", time), id, OpencodeTextPart(fmt::format("at {}", time)));
    parts += fmt::format(R"({}{{"id":"{}","type":"text","text":"at {}"}})", parts.empty() ? "" : ",", IdAt("prt", time),
                         time);
  }
  database.Run(kOpencodeTables + rows);
  Must(Import(*log_, "auto", std::vector{dir_ / "live"}));
  const auto in_order = ElementsAre(HasSubstr("turn_start"), HasSubstr("at -1"), HasSubstr("at 1"), HasSubstr("at 2"));
  EXPECT_THAT(Shaped("s"), in_order);

  const std::string document =
      R"({"info":{"id":"d"},"messages":[{"info":{"id":")" + id + R"(","role":"assistant"},"parts":[)" + parts + "]}]}";
  Must(Import(*log_, "auto", std::vector{Write("export.json", document)}));
  EXPECT_THAT(Shaped("d"), in_order);
  EXPECT_THAT(ExportRaw("opencode", "d"), ElementsAre(testing::Pair("d/d.json", document)));
}

TEST_F(OpencodeOrderTest, FilesOfASessionAreOnBothSides) {
  const auto write = [&](std::int64_t time, const std::string& text) {
    const std::string message = IdAt("msg", time), part = IdAt("prt", time);
    Write("storage/message/f/" + message + ".json", R"({"id":")" + message + R"(","role":"user"})");
    Write("storage/part/" + message + "/" + part + ".json",
          R"({"id":")" + part + R"(","type":"text","text":")" + text + "\"}");
  };
  Write("storage/session/p/f.json", R"({"id":"f","projectID":"p","title":"t","time":{"created":1}})");
  write(-9000, "one");
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  Must(Import(*log_, "auto", paths));
  write(7000, "two");
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).extended, 1);
  EXPECT_THAT(Said("f"), ElementsAre("one", "two"));
}

// A session in which the assistant works, with a prompt that waits for it.
class OpencodeQueueTest : public OpencodeOrderTest {
 protected:
  OpencodeQueueTest() : database_(dir_ / "live" / "opencode.db") {
    database_.Run(kOpencodeTables + OpencodeMessageRow("m1", R"("role":"user")") +
                  OpencodePartRow("p1", "m1", OpencodeTextPart("go")) +
                  OpencodeMessageRow("m2", R"("role":"assistant")") +
                  OpencodePartRow("p2", "m2", OpencodeTextPart("Looking.", R"(,"time":{"start":1,"end":2})")));
    Must(Import(*log_, "auto", paths_));
    Add(OpencodeMessageRow("m3", R"("role":"user")") + OpencodePartRow("p9", "m3", OpencodeTextPart("and then?")));
  }

  ImportReport Add(const std::string& rows) {
    database_.Run(rows);
    ImportReport report = Must(Import(*log_, "auto", paths_));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(Must(Import(*log_, "auto", paths_)).unchanged, 1);
    return report;
  }

  TestDatabase database_;
  const std::vector<std::filesystem::path> paths_{dir_ / "live"};
};

TEST_F(OpencodeQueueTest, APromptWaitsUntilTheAnswerIsComplete) {
  EXPECT_THAT(Said("s"), ElementsAre("go"));
  EXPECT_THAT(ExportRaw("opencode", "s"), ElementsAre(testing::Pair("s/s.json", HasSubstr("and then?"))))
      << "it is in the trailer";
  Add(OpencodePartRow("p3", "m2", OpencodeTextPart("Done.")));
  EXPECT_THAT(Said("s"), ElementsAre("go"));
  EXPECT_EQ(Add(OpencodeMessageRow("m2", R"("role":"assistant","time":{"completed":1})")).extended, 1);
  EXPECT_THAT(Shaped("s"), ElementsAre(HasSubstr("turn_start"), HasSubstr("go"), HasSubstr("Looking."),
                                       HasSubstr("Done."), HasSubstr("turn_start"), HasSubstr("and then?")));
}

TEST_F(OpencodeQueueTest, AnotherAnswerEndsOneThatIsNeverCompleted) {
  Add(OpencodeMessageRow("m4", R"("role":"assistant")"));
  EXPECT_THAT(Said("s"), ElementsAre("go", "and then?"));
  Add(OpencodeMessageRow("m5", R"("role":"user")") + OpencodePartRow("px", "m5", OpencodeTextPart("last")));
  EXPECT_THAT(Said("s"), ElementsAre("go", "and then?")) << "it waits for m4";
}

TEST_F(OpencodeOrderTest, APromptWaitsInAStorageFolder) {
  Write("storage/session/p/f.json", R"({"id":"f","projectID":"p","title":"t","time":{"created":1}})");
  Write("storage/message/f/m1.json", "\n{\"id\":\"m1\",\"role\":\"assistant\"}\n");
  Write("storage/part/m1/p1.json", R"({"id":"p1","type":"text","text":"Looking."})");
  Write("storage/message/f/m2.json", R"({"id":"m2","role":"user"})");
  Write("storage/part/m2/p2.json", R"({"id":"p2","type":"text","text":"and then?"})");
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  Must(Import(*log_, "auto", paths));
  EXPECT_THAT(Shaped("f"), ElementsAre(HasSubstr("turn_start"), HasSubstr("Looking.")));
  Write("storage/message/f/m3.json", R"({"id":"m3","role":"assistant"})");
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).extended, 1);
  EXPECT_THAT(Said("f"), ElementsAre("and then?"));
}

}  // namespace
}  // namespace turnlog::opencode_order_test
