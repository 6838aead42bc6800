#include <gmock/gmock.h>

#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "tests/support/shared_data.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/export.h"

namespace turnlog::jp_export_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JpExportTest : public ImportTest {
 protected:
  Result<ExportReport> Export(std::vector<ConversationId> ids) { return ExportToJp(ids, dir_ / "out"); }

  std::map<std::string, std::string> Out() { return ReadTree(dir_ / "out"); }
};

TEST_F(JpExportTest, GivesRealHistoriesBackByteByByte) {
  TURNLOG_SHARED_OR_SKIP(corpus, "corpus/jp");
  const ImportReport report = Jp({corpus});
  EXPECT_EQ(report.added, 10);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  ASSERT_TRUE(Export(All()));
  const auto before = ReadTree(corpus);
  const auto after = Out();
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, bytes] : before) EXPECT_TRUE(after.contains(name) && after.at(name) == bytes) << name;
  const ImportReport again = Jp({corpus});
  EXPECT_EQ(again.unchanged, 10);
  EXPECT_EQ(again.events, 0);
}

// An export is a source again.
TEST_F(JpExportTest, ImportsItsOwnExportAsUnchanged) {
  TURNLOG_SHARED_OR_SKIP(corpus, "corpus/jp");
  Jp({corpus});
  ASSERT_TRUE(Export(All()));
  EXPECT_EQ(Jp({dir_ / "out"}).unchanged, 10);
}

TEST_F(JpExportTest, GivesOddHistoriesBackByteByByte) {
  const char* const kEvents[] = {
      "[]\n",
      "[ ]",
      "[{\"type\":\"turn_start\"}]",
      "[\n  5,\n  \"x\",\n  null,\n  {\"a\": 1},\n  [\n    1\n  ]\n]\n",
      "[\n  {\"type\": \"chat_request\"}, {\"type\": nonsense},\r\n  \"\xff\"\n]",
      "[\n  {\n    \"type\": \"config_delta\",\n    \"delta\": {}\n  },\n  {\n    \"type\": \"turn_start\"\n  }\n]\n",
      "[{\"type\":\"config_delta\",\"inherit\":true} ,{\"type\":\"turn_start\"}\n]\n\n",
      "[{\"type\":\"config_delta\", broken},{\"type\":\"turn_start\"}\n]\n\n",
      "[\n  {\"type\":\"jp_import\",\"directory\":\"../../x\",\"events\":9,\"files\":{\"a\":\"b\"}},\n  5\n]\n",
  };
  int number = 100;
  for (const char* const events : kEvents) {
    WriteJp(std::to_string(number++) + "-split", events);
    const auto packed = WriteJp(std::to_string(number++) + "-packed", events);
    std::filesystem::remove(packed / "base_config.json");
    Write(packed / "notes \"1\".txt", "a\xff");
    Write(packed / "metadata.json", "{\"title\": }");
    WriteJp(std::to_string(number++), events, "jp/conversations/.archive");
  }
  EXPECT_EQ(Jp().failed, 0);
  ASSERT_TRUE(Export(All()));
  EXPECT_EQ(Out(), ReadTree(dir_ / "jp/conversations"));
  EXPECT_EQ(Jp().unchanged, 27);
}

TEST_F(JpExportTest, GivesBackWhatCameInSeveralImports) {
  const auto place = WriteJp("17-old-name", "[\n  {\"type\":\"config_delta\"},\n  {\"type\":\"turn_start\"}\n]");
  std::filesystem::remove(place / "base_config.json");
  Jp();
  std::filesystem::remove_all(place);
  WriteJp("17-new-name", "[\n  {\"type\":\"turn_start\"},\n  {\"type\":\"later\"} ]", "jp/conversations/.archive");
  EXPECT_EQ(Jp().extended, 1);
  ASSERT_TRUE(Export({Id("17")}));
  EXPECT_EQ(Out(), ReadTree(dir_ / "jp/conversations"));
}

TEST_F(JpExportTest, AddsWhatWasAppendedSince) {
  WriteJp("17", "[\n  {\n    \"type\": \"turn_start\"\n  }\n]\n");
  Jp();
  Event chat;
  chat.body = ChatRequest{"hi", {}, {}};
  Append("17", chat);
  Append("17", ParseEvent(R"({"type":"redaction","seq":2})").value());
  ASSERT_TRUE(Export({Id("17")}));
  EXPECT_EQ(Out().at("17/events.json"),
            "[\n  {\n    \"type\": \"turn_start\"\n  },\n"
            "  {\n    \"type\": \"chat_request\",\n    \"content\": \"hi\"\n  }\n]\n");
}

// A call without a result, an unmatched result and a late result, in two imports; repaired.
class RepairedJpExportTest : public JpExportTest {
 protected:
  static constexpr const char* kCall = R"({"type":"tool_call_request","id":"c1","name":"n","arguments":{}})";
  static constexpr const char* kStray = R"({"type":"tool_call_response","id":"c9","content":"","is_error":false})";
  static constexpr const char* kLate = R"({"type":"tool_call_response","id":"c1","content":"","is_error":false})";
  static constexpr const char* kTurn = R"({"type":"turn_start"})";
  static constexpr const char* kMadeCompaction = "  {\n    \"type\": \"compaction\",\n    \"n\": 1.50\n  }";

  RepairedJpExportTest() {
    const std::string first = std::string("[").append(kCall).append(",").append(kStray);
    WriteJp("17", first + "]");
    Jp();
    whole_ = first + "," + kTurn + "," + kLate + "]";
    WriteJp("17", whole_);
    EXPECT_EQ(Jp().extended, 1);
    // In the log: record, call, unmatched result, record, turn_start, late result.
    Append("17", ParseEvent(R"({"type":"repair","profile":"x","head":6,"from":0,"to":6,"items":[)"
                            R"({"insert_after":0,"cause":2,"rule":"r","event":{"type":"turn_start"}},)"
                            R"({"drop":3,"rule":"r"},{"move":6,"to_after":2,"rule":"r"},)"
                            R"({"insert_after":5,"cause":5,"rule":"r","event":{"type":"compaction","n":1.50}}]})")
                     .value());
  }

  std::string whole_;
};

TEST_F(RepairedJpExportTest, GivesTheSanitizedView) {
  ASSERT_TRUE(Export({Id("17")}));
  EXPECT_EQ(Out().at("17/events.json"), std::string("[\n  {\n    \"type\": \"turn_start\"\n  },\n  ")
                                            .append(kCall)
                                            .append(",")
                                            .append(kLate)
                                            .append(",")
                                            .append(kTurn)
                                            .append(",\n")
                                            .append(kMadeCompaction)
                                            .append("]"));
}

TEST_F(RepairedJpExportTest, GivesTheLogByteByByteOnRequest) {
  ASSERT_TRUE(ExportToJp({Id("17")}, dir_ / "out", {.raw = true}));
  EXPECT_EQ(Out().at("17/events.json"), whole_);
}

TEST_F(RepairedJpExportTest, RepairsDoNotKeepTheSourceFromBeingImportedAgain) {
  EXPECT_EQ(Jp().unchanged, 1);
  WriteJp("17", whole_.substr(0, whole_.size() - 1) + "," + kTurn + "]");
  EXPECT_EQ(Jp().extended, 1);
}

TEST_F(JpExportTest, GivesConversationsFromElsewhereTheSplitLayout) {
  Event turn;
  turn.timestamp = Timestamp{1'500'000'000};
  Append("17", turn);
  ASSERT_TRUE(Export({Id("17")}));
  const auto out = Out();
  EXPECT_THAT(out, SizeIs(3));
  EXPECT_EQ(out.at("17/base_config.json"), "{}\n");
  EXPECT_EQ(out.at("17/metadata.json"), "{\n  \"last_activated_at\": \"1970-01-01 00:00:01.5\"\n}\n");
  EXPECT_EQ(out.at("17/events.json"),
            "[\n  {\n    \"timestamp\": \"1970-01-01 00:00:01.5\",\n    \"type\": \"turn_start\"\n  }\n]\n");
}

TEST_F(JpExportTest, NamesFoldersSafely) {
  const std::string longer(400, 'x');
  for (const std::string& id : {std::string("../a b"), std::string(".hidden"), longer + "1", longer + "2"}) {
    Append(id, Event{});
  }
  ASSERT_TRUE(Export(All()));
  const auto out = Out();
  EXPECT_THAT(out, SizeIs(12));
  EXPECT_TRUE(out.contains("%2E.%2Fa%20b/events.json"));
  EXPECT_TRUE(out.contains("%2Ehidden/events.json"));
}

TEST_F(JpExportTest, RefusesAFolderThatIsNotEmpty) {
  WriteJp("17", "[]\n");
  Jp();
  Write("out/17/mine.txt", "mine");
  const auto report = Export({Id("17")});
  ASSERT_TRUE(report);
  ASSERT_THAT(report->failures, SizeIs(1));
  EXPECT_EQ(report->failures[0].conversation, "17");
  EXPECT_EQ(report->failures[0].error.code, ErrorCode::kConflict);
  EXPECT_EQ(Out(), (std::map<std::string, std::string>{{"17/mine.txt", "mine"}})) << "nothing else may be there";
  std::filesystem::remove(dir_ / "out/17/mine.txt");
  EXPECT_TRUE(Export({Id("17")}));
}

TEST_F(JpExportTest, NeedsNotWriteWhatIsThere) {
  WriteJp("17", "[]\n");
  Jp();
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Must(Export({Id("17")})).failures, IsEmpty());
  EXPECT_THAT(Out(), SizeIs(3));
  Write("out/17/metadata.json", "{}\n");
  const ExportReport report = Must(Export({Id("17")}));
  ASSERT_THAT(report.failures, SizeIs(1));
  EXPECT_THAT(report.failures[0].error.message, HasSubstr((dir_ / "out/17").string() + " exists"));
}

TEST_F(JpExportTest, FoldersAndFilesAreTheirOwnersAlone) {
  WriteJp("17", "[]\n", "jp/conversations/.archive");
  Jp();
  ASSERT_TRUE(Export({Id("17")}));
  const auto expect_private = [](const std::filesystem::path& path) {
    constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    EXPECT_EQ(std::filesystem::status(path).permissions() & kOthers, std::filesystem::perms::none) << path;
  };
  expect_private(dir_ / "out");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "out")) expect_private(entry.path());
}

TEST_F(JpExportTest, DoesNotLeaveItsFolderThroughALink) {
  WriteJp("17", "[]\n", "jp/conversations/.archive");
  Jp();
  std::filesystem::create_directories(dir_ / "out");
  std::filesystem::create_directories(dir_ / "elsewhere");
  std::filesystem::create_directory_symlink("../elsewhere", dir_ / "out/.archive");
  const auto report = Export({Id("17")});
  ASSERT_TRUE(report);
  ASSERT_THAT(report->failures, SizeIs(1));
  EXPECT_EQ(report->failures[0].error.code, ErrorCode::kConflict);
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "elsewhere"));
}

TEST_F(JpExportTest, FailsForAConversationThatIsNotThere) {
  const auto report = Export({Id("17")});
  ASSERT_TRUE(report);
  ASSERT_THAT(report->failures, SizeIs(1));
  EXPECT_EQ(report->failures[0].error.code, ErrorCode::kNotFound);
  EXPECT_THAT(Out(), IsEmpty());
}

}  // namespace
}  // namespace turnlog::jp_export_test
