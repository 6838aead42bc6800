// The storage of opencode before version 1: a tree of small files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "migrate/import/import_run.h"
#include "migrate/import/source_import.h"
#include "migrate/opencode/format.h"
#include "migrate/sources/find_sources.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/migrate/export.h"

namespace turnlog::opencode_storage_test {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

using OpencodeStorageTest = ImportTest;

// A tree as opencode before version 1 has it.
std::map<std::string, std::string> Tree() {
  return {{"session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1},"parentID":"up"})"},
          {"message/s/m1.json", "{\"id\":\"m1\",\"role\":\"user\"}\n"},
          {"message/s/m2.json", "{\"id\":\"m2\",\"role\":\"assistant\",\"time\":{\"completed\":1}}\n\n"},
          {"part/m1/p1.json", " {\"id\":\"p1\",\"type\":\"text\",\"text\":\"Hi\"}\n"},
          {"part/m2/p2.json", R"({"id":"p2","type":"text","text":"Hello."})"},
          {"part/m2/p3.json", "{\"id\":\"p3\",\"type\":\"te"},
          {"part/m2/p4.json", ""},
          {"part/p5.json", R"({"id":"p5","messageID":"m2","type":"text","text":"Loose."})"},
          {"part/other/p6.json", "{}"}};
}

TEST_F(OpencodeStorageTest, ImportsATreeOfFilesAndWritesItBack) {
  for (const auto& [name, bytes] : Tree()) Write("storage/" + name, bytes);
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, SizeIs(2)) << "a torn part and an empty one";
  EXPECT_THAT(Shapes(Events("s")), ElementsAre(HasSubstr("import"), "foreign", kTurn, HasSubstr("Hi"), "foreign",
                                               HasSubstr("Loose."), HasSubstr("Hello."), "quarantined", "quarantined"));
  std::map<std::string, std::string> expected;
  for (const auto& [name, bytes] : Tree()) {
    if (!name.contains("other")) expected["s/" + name] = bytes;
  }
  EXPECT_EQ(ExportRaw("opencode", "s"), expected);
}

// opencode has removed the file of a session, or a message of one.
TEST_F(OpencodeStorageTest, SaysWhatBelongsToNoSession) {
  for (const auto& [name, bytes] : Tree()) Write("storage/" + name, bytes);
  const std::filesystem::path storage = dir_ / "storage";
  const auto notes = [&] { return Must(Import(*log_, "auto", {&storage, 1})).notes; };
  const auto is_skipped = [](const std::string& what) {
    return AllOf(Field(&ImportProblem::code, ImportProblemCode::kSkipped),
                 Field(&ImportProblem::reason, "of no session or message that is there: " + what));
  };
  EXPECT_THAT(notes(), ElementsAre(is_skipped("1 file of opencode, 2 bytes (part/other)")));
  Write("storage/message/gone/m7.json", R"({"id":"m7"})");
  Write("storage/part/m7/p7.json", "{}");
  Write("storage/part/p8.json", R"({"id":"p8","messageID":"m8"})");
  EXPECT_THAT(notes(),
              ElementsAre(is_skipped("4 files of opencode, 43 bytes (message/gone, part/m7, part/other, ...)")));
  Write("storage/session/proj/other.json", R"({"id":"gone","projectID":"p","title":"t","time":{"created":1}})");
  Write("storage/message/gone/named.json", R"({"id":"m8"})");
  EXPECT_THAT(notes(), ElementsAre(is_skipped("1 file of opencode, 2 bytes (part/other)")));
  EXPECT_EQ(All().size(), 2U);
}

TEST_F(OpencodeStorageTest, RefusesASessionWhoseMessagesCannotBeListed) {
  namespace fs = std::filesystem;
  for (const auto& [name, bytes] : Tree()) Write("storage/" + name, bytes);
  const std::vector<fs::path> paths{dir_ / "storage"};
  const FoundSources found = FindSources(paths, FindFormat("opencode"));
  for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) fs::permissions(entry, fs::perms::all);
  fs::permissions(dir_.path(), fs::perms::all);
  const fs::path messages = dir_ / "storage/message/s";
  fs::permissions(messages, fs::perms::none);
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // who may list everything
  std::vector<ImportProblem> notes;
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0);
  const auto source = LoadSource(found.sources.at(0), notes);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  fs::permissions(messages, fs::perms::all);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kIo);
  EXPECT_THAT(source.error().message, HasSubstr("/message/s: Permission denied"));
}

// opencode writes them in place.
TEST_F(OpencodeStorageTest, WritesBackAFileThatWasReadWhileItWasWritten) {
  Write("storage/session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})");
  Write("storage/message/s/m1.json", R"({"id":"m1","role":"user"})");
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  const auto part = [](std::string_view text) {
    return fmt::format(R"({{"id":"p1","type":"text","text":"{}"}})", text);
  };
  for (const std::string& now : {part("Hi").substr(0, 30), part("Hi"), part("Hi").substr(0, 20), part("Hi")}) {
    Write("storage/part/m1/p1.json", now);
    Must(Import(*log_, "opencode", paths));
    const auto files = ExportRaw("opencode", "s");
    const std::string first = part("Hi").substr(0, 30);
    EXPECT_EQ(files.at("s/part/m1/p1.json"), now == first ? first : part("Hi"));
    EXPECT_THAT(files, SizeIs(3));
  }
}

TEST_F(OpencodeStorageTest, WaitsForAFileThatIsBeingWritten) {
  Write("storage/session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})");
  Write("storage/message/s/m1.json", R"({"id":"m1","role":"user"})");
  const std::string part = R"({"id":"p1","type":"text","text":"Hi"})";
  const auto import = [&](std::string_view now, bool may_postpone) {
    Write("storage/part/m1/p1.json", now);
    ImportRun run(*log_);
    run.may_postpone = may_postpone;
    const std::vector<std::filesystem::path> paths{dir_ / "storage"};
    const FoundSources found = FindSources(paths, FindFormat("opencode"));
    Source source = Must(LoadSource(found.sources.at(0), run.report().notes));
    SourceImport import_one(run, *FindFormat("opencode"), source);
    Must(import_one.Import());
    return std::pair(import_one.postponed(), Must(run.Finish()).problems.size());
  };
  EXPECT_EQ(import(part.substr(0, 20), true), std::pair(true, std::size_t{0}));
  EXPECT_EQ(import("", true), std::pair(true, std::size_t{0}));
  EXPECT_EQ(import(part, true), std::pair(false, std::size_t{0}));
  EXPECT_THAT(Shapes(Events("s")), Not(Contains(HasSubstr("quarantined"))));
  EXPECT_EQ(import(part.substr(0, 20), true), std::pair(true, std::size_t{0}));
  EXPECT_EQ(import(part.substr(0, 20), false), std::pair(false, std::size_t{1})) << "it stays so";
}

// The file of a message that is being written does not say yet whose its parts are.
TEST_F(OpencodeStorageTest, TakesPartsWhenTheirMessageIsWritten) {
  std::map<std::string, std::string> tree = Tree();
  tree["message/s/m3.json"] = "";
  tree["part/m3/p7.json"] = R"({"id":"p7","type":"text","text":"More"})";
  for (const auto& [name, bytes] : tree) Write("storage/" + name, bytes);
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  Must(Import(*log_, "auto", paths));
  EXPECT_THAT(Shapes(Events("s")), Not(Contains(HasSubstr("More"))));
  Write("storage/message/s/m3.json", R"({"id":"m3","role":"user"})");
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).extended, 1);
  EXPECT_EQ(std::ranges::count(Events("s"), EventKind::kChatRequest, &Event::kind), 2);
}

// What version 1 of opencode makes of its storage folder.
TEST_F(OpencodeStorageTest, GoesOnInTheDatabaseThatOpencodeMakesOfIt) {
  const std::map<std::string, std::string> tree = {
      {"session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})"},
      {"message/s/m1.json", R"({"id":"m1","sessionID":"s","role":"user","time":{"created":5}})"},
      {"message/s/m2.json", R"({"id":"m2","sessionID":"s","role":"assistant","time":{"created":6,"completed":8}})"},
      {"part/m1/p1.json",
       "{\n  \"id\": \"p1\",\n  \"messageID\": \"m1\",\n  \"type\": \"text\",\n  \"text\": \"Hi\"\n}"},
      {"part/m2/p2.json", R"({"id": "p2", "sessionID": "s", "messageID": "m2", "type": "step-start"})"},
      {"part/m2/p3.json",
       R"({"id":"p3","messageID":"m2","type":"tool","callID":"c","tool":"ls","state":)"
       "{\n \"status\": \"completed\",\n \"input\": {\n  \"a\": [1, 2]\n },\n \"output\": \"x\"\n}}"},
  };
  for (const auto& [name, bytes] : tree) Write("old/storage/" + name, bytes);
  EXPECT_EQ(Must(Import(*log_, "auto", std::vector{dir_ / "old"})).added, 1);
  const std::size_t before = Events("s").size();

  std::filesystem::create_directories(dir_ / "new");
  TestDatabase database(dir_ / "new/opencode.db");
  const auto insert = [&](const std::string& table, const std::string& values) {
    database.Run("INSERT INTO " + table + " VALUES (" + values + ");");
  };
  database.Run(
      "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT);"
      "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data "
      "TEXT);"
      "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated "
      "INTEGER, data TEXT);");
  insert("session", "'s',NULL,'t'");
  insert("message", R"('m1','s',7,7,'{"role":"user","time":{"created":5}}')");
  insert("message", R"('m2','s',7,7,'{"role":"assistant","time":{"created":6,"completed":8}}')");
  insert("message", R"('m3','s',9,9,'{"role":"user","time":{"created":9}}')");
  insert("part", R"('p1','m1','s',7,7,'{"type":"text","text":"Hi"}')");
  insert("part", R"('p2','m2','s',7,7,'{"type":"step-start"}')");
  insert("part", R"('p3','m2','s',7,7,'{"type":"tool","callID":"c","tool":"ls","state":)"
                 R"({"status":"completed","input":{"a":[1,2]},"output":"x"}}')");
  insert("part", R"('p4','m3','s',9,9,'{"type":"text","text":"Go on"}')");
  const ImportReport report = Must(Import(*log_, "auto", std::vector{dir_ / "new"}));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("Hi", "Go on"));
  EXPECT_EQ(std::ranges::count(Events("s"), EventKind::kToolCallRequest, &Event::kind), 1);
  EXPECT_GT(Events("s").size(), before);
  EXPECT_THAT(ExportRaw("opencode", "s"), Contains(Pair(_, HasSubstr(R"("data":{"type":"step-start"})"))));
  EXPECT_EQ(Must(Import(*log_, "auto", std::vector{dir_ / "new"})).unchanged, 1);
}

// Its records are messages with their parts.
TEST_F(OpencodeStorageTest, ADocumentOfTheSameSessionIsAConflict) {
  for (const auto& [name, bytes] : Tree()) Write("storage/" + name, bytes);
  Must(Import(*log_, "auto", std::vector{dir_ / "storage"}));
  const std::size_t before = Events("s").size();
  Write("s.json",
        R"({"info":{"id":"s"},"messages":[{"info":{"id":"m1","role":"user"},"parts":[{"id":"p1","type":"text",)"
        R"("text":"Hi"}]}]})");
  const ImportReport report = Must(Import(*log_, "auto", std::vector{dir_ / "s.json"}));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kOtherOrigin);
  EXPECT_EQ(Events("s").size(), before);
}

// Parts without folders may belong to messages of any session: the folder is read once for all of them.
TEST_F(OpencodeStorageTest, ReadsAFolderOfLoosePartsOnce) {
  constexpr int kSessions = 12;
  for (int i = 0; i < kSessions; ++i) {
    Write(fmt::format("storage/session/proj/s{}.json", i),
          fmt::format(R"({{"id":"s{}","projectID":"proj","title":"t","time":{{"created":1}}}})", i));
    Write(fmt::format("storage/message/s{0}/m{0}.json", i), fmt::format(R"({{"id":"m{}","role":"user"}})", i));
    Write(fmt::format("storage/part/p{}.json", i),
          fmt::format(R"({{"id":"p{0}","messageID":"m{0}","type":"text","text":"Hi"}})", i));
  }
  Settle();
  const std::vector<std::filesystem::path> paths{dir_ / "storage"};
  const FoundSources found = FindSources(paths, nullptr);
  ASSERT_THAT(found.sources, SizeIs(kSessions));
  std::vector<ImportProblem> notes;
  for (const FoundSource& source : found.sources) {
    EXPECT_EQ(source.indexes, found.sources.front().indexes);
    EXPECT_THAT(Must(LoadSource(source, notes)).files, SizeIs(3));
  }
  FolderIndexes& indexes = *found.sources.front().indexes;
  const auto index = indexes.Find(dir_ / "storage/part", "messageID");
  EXPECT_THAT(*index, SizeIs(kSessions));
  EXPECT_EQ(indexes.Find(dir_ / "storage/session/../part", "messageID"), index) << "it was not read again";
  Write("storage/part/more.json", R"({"id":"p","messageID":"other"})");
  EXPECT_THAT(*indexes.Find(dir_ / "storage/part", "messageID"), SizeIs(kSessions + 1));
}

TEST_F(OpencodeStorageTest, IsDetectedAlsoIfTheFileOfASessionIsDamaged) {
  const std::string session = Tree().at("session/proj/s.json");
  for (std::size_t at = 0; at < session.size(); at += kByteStep) {
    const ImportTest::TempStore store;
    for (const auto& [name, bytes] : Tree()) Write("storage/" + name, bytes);
    Write("storage/session/proj/s.json", session.substr(0, at));
    const std::vector<std::filesystem::path> paths{dir_ / "storage"};
    const ImportReport report = Must(Import(*store.log, "auto", paths));
    ASSERT_EQ(report.added, 1U) << at;
    ASSERT_EQ(Must(store.log->List("", 2)).at(0).id, "s");
  }
}

}  // namespace
}  // namespace turnlog::opencode_storage_test
