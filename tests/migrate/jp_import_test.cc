#include <gmock/gmock.h>

#include <fstream>

#include "migrate/jp/record.h"
#include "migrate/logged/import_record.h"
#include "migrate/logged/quarantine.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/located_code.h"
#include "tests/support/must.h"
#include "turnlog/open_log.h"

namespace turnlog::jp_import_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type": "turn_start"})";
constexpr std::string_view kChat = R"({"type": "chat_request", "content": "hi"})";
constexpr std::string_view kReply = R"({"type": "chat_response", "message": "ho"})";

std::string Array(std::initializer_list<std::string_view> elements) {
  std::string text;
  for (const std::string_view element : elements) text.append(text.empty() ? "[\n  " : ",\n  ").append(element);
  return text.empty() ? "[]\n" : text + "\n]\n";
}

std::optional<JpRecord> ReadRecord(const Event& event) {
  const auto record = ReadImportEvent(View(event));
  return record ? ReadJpRecord(*record) : std::nullopt;
}

std::vector<std::string> Below(const std::filesystem::path& folder, const std::vector<ImportProblem>& problems) {
  std::vector<std::string> below;
  for (const ImportProblem& problem : problems) {
    below.push_back(LocatedCode(problem).substr(folder.string().size() + 1));
  }
  return below;
}

using JpImportTest = ImportTest;

TEST_F(JpImportTest, TakesTheNumberOfTheDirectoryAsId) {
  WriteJp("17738348630-a-slug", Array({kTurn, kChat}));
  WriteJp("42", Array({kTurn}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 2);
  EXPECT_EQ(report.events, 5);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(Last("17738348630"), Seq{3});
  EXPECT_EQ(Last("42"), Seq{2});
}

TEST_F(JpImportTest, PutsTheRecordOfTheImportInFront) {
  WriteJp("17-a", Array({kTurn, kChat}), "jp/conversations/.archive");
  Write("jp/conversations/.archive/17-a/QUERY_MESSAGE.md", "text");
  Write("jp/conversations/.archive/17-a/events.json.tmp", "half");
  Jp();
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(3));
  const auto record = ReadRecord(events[0]);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->directory, "17-a");
  EXPECT_TRUE(record->archived);
  EXPECT_EQ(ReadImportEvent(View(events[0]))->events, 2);
  EXPECT_FALSE(record->packed_config);
  EXPECT_THAT(record->files, SizeIs(3));
  EXPECT_EQ(record->files.at("QUERY_MESSAGE.md"), "text");
  EXPECT_EQ(events[2].kind(), EventKind::kChatRequest);
}

TEST_F(JpImportTest, FindsConversationsFromWhereverItIsPointedAt) {
  const auto one = WriteJp("1", Array({kTurn}));
  const auto archived = WriteJp("2", Array({kTurn}), "jp/conversations/.archive");
  WriteJp("3", Array({kTurn}), "jp/conversations/.trash");
  Write("jp/conversations/metadata.json", "{}");
  EXPECT_EQ(Jp({one}).added, 1);
  EXPECT_EQ(Jp({archived / ""}).added, 1);
  EXPECT_TRUE(ReadRecord(Events("2")[0])->archived);
  EXPECT_EQ(Jp({dir_ / "jp" / "conversations"}).unchanged, 2);
  EXPECT_EQ(Jp({dir_ / "jp"}).unchanged, 2);
}

TEST_F(JpImportTest, ReportsProgressByConversation) {
  WriteJp("1", Array({kTurn}));
  WriteJp("2", "broken");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  ImportOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { calls.emplace_back(done, total); };
  ASSERT_TRUE(Import(*log_, "jp", std::vector{dir_ / "jp"}, options));
  EXPECT_THAT(calls, ElementsAre(std::pair(1, 2), std::pair(2, 2)));
}

TEST_F(JpImportTest, AddsNothingTheSecondTime) {
  WriteJp("17", Array({kTurn, kChat, R"({"type": "turn_start", "bad": })"}));
  EXPECT_EQ(Jp().added, 1);
  const ImportReport again = Jp();
  EXPECT_EQ(again.unchanged, 1);
  EXPECT_EQ(again.added + again.extended + again.failed + again.events, 0);
  EXPECT_EQ(Last("17"), Seq{4});
}

TEST_F(JpImportTest, AddsWhatTheSourceHasAdded) {
  WriteJp("17", Array({kTurn, kChat}));
  Jp();
  WriteJp("17", Array({kTurn, kChat, kReply}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.extended, 1);
  EXPECT_EQ(report.events, 2) << "the reply and the record of this import";
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_EQ(ReadImportEvent(View(events[3]))->events, 1);
  EXPECT_EQ(events[4].kind(), EventKind::kChatResponse);
  EXPECT_EQ(Jp().unchanged, 1);
  WriteJp("17", Array({kTurn, kChat, kReply, kTurn, kChat}));
  EXPECT_EQ(Jp().events, 3);
  EXPECT_EQ(Jp().unchanged, 1);
}

TEST_F(JpImportTest, TakesInAChangeBesideTheEvents) {
  WriteJp("17", Array({kTurn}));
  Jp();
  Write("jp/conversations/17/metadata.json", "{\n  \"title\": \"new\"\n}\n");
  EXPECT_EQ(Jp().extended, 1);
  EXPECT_EQ(Jp().unchanged, 1);
  const auto record = ReadRecord(Events("17").back());
  ASSERT_TRUE(record);
  EXPECT_EQ(ReadImportEvent(View(Events("17").back()))->events, 0);
  EXPECT_THAT(record->files.at("metadata.json"), HasSubstr("new"));
}

// A newer jp changes the layout of old conversations when it saves them; that is no new event.
TEST_F(JpImportTest, TakesTheSameEventsInAnotherFormAsUnchanged) {
  WriteJp("17", Array({kTurn, R"({"type": "inquiry_response", "id": "a.b", "answer": 1})"}));
  Jp();
  WriteJp("17", Array({kTurn, R"({"type":"inquiry_response","outcome":"answered","id":"a.b","answer":1})"}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.unchanged, 1);
  EXPECT_EQ(report.events, 0);
}

// So does one that moves the configuration into a file of its own.
TEST_F(JpImportTest, FollowsFromThePackedToTheSplitLayout) {
  const auto place = WriteJp("17", Array({R"({"type": "config_delta", "delta": {}})", kTurn}));
  std::filesystem::remove(place / "base_config.json");
  Jp();
  EXPECT_EQ(Last("17"), Seq{2});
  EXPECT_TRUE(ReadRecord(Events("17")[0])->packed_config);
  WriteJp("17", Array({kTurn, kChat}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_FALSE(ReadRecord(Events("17")[2])->packed_config);
}

// They are the conversation as it was, with all the secrets that `doctor --redact` has taken out of it.
TEST_F(JpImportTest, PassesOverWhatDoctorHasLeftInTheFolder) {
  WriteJp("17-a", Array({kTurn, kChat}));
  Jp();
  const auto parts = ReadRecord(Events("17")[0])->files;
  Write("jp/conversations/17-a/events.json.99.before-doctor", "old");
  Write("jp/conversations/17-a/events.json.mended", "new");
  EXPECT_EQ(Jp().unchanged, 1);
  WriteJp("17-a", Array({kTurn, kChat, kReply}));
  EXPECT_EQ(Jp().extended, 1);
  for (const Event& event : Events("17")) {
    const auto record = ReadRecord(event);
    if (record) {
      EXPECT_EQ(record->files, parts);
    }
  }
}

TEST_F(JpImportTest, NotesAFolderWithinAConversation) {
  WriteJp("17", "[]\n");
  Write("jp/conversations/17/attachments/a.txt", "x");
  const ImportReport report = Jp();
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_EQ(report.notes[0].code, ImportProblemCode::kSkipped);
  EXPECT_THAT(report.notes[0].file, HasSubstr("17/attachments"));
}

TEST_F(JpImportTest, LeavesOutFilesWithNamesThatATerminalWouldActOn) {
  WriteJp("17", "[]\n");
  Write("jp/conversations/17/a\x1b[2Jb", "x");
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.notes.size(), 1u);
}

TEST_F(JpImportTest, RefusesASourceThatSaysSomethingElse) {
  WriteJp("17", Array({kTurn, kChat, kReply}));
  Jp();
  WriteJp("17", Array({kTurn, R"({"type": "chat_request", "content": "changed"})", kReply, kTurn}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.failed, 1);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].file, HasSubstr("17/events.json"));
  EXPECT_EQ(report.problems[0].element, 1);
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kChanged);
  EXPECT_EQ(Last("17"), Seq{4});
}

TEST_F(JpImportTest, RefusesASourceThatHasLostEvents) {
  WriteJp("17", Array({kTurn, kChat}));
  Jp();
  WriteJp("17", Array({kTurn}));
  const ImportReport report = Jp();
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kShrunk);
  EXPECT_EQ(Last("17"), Seq{3});
}

TEST_F(JpImportTest, RefusesToMixASourceWithWhatWasAppendedMeanwhile) {
  WriteJp("17", Array({kTurn, kChat}));
  Jp();
  Append("17", Event{});
  EXPECT_EQ(Jp().unchanged, 1);
  WriteJp("17", Array({kTurn, kChat, kReply}));
  const ImportReport report = Jp();
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kContinued);
  EXPECT_EQ(Last("17"), Seq{4});
}

TEST_F(JpImportTest, RefusesAConversationThatCameFromElsewhere) {
  Append("17", Event{});
  WriteJp("17", Array({kTurn}));
  const ImportReport report = Jp();
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kOtherOrigin);
  EXPECT_EQ(Last("17"), Seq{1});
}

TEST_F(JpImportTest, OneBadEventDoesNotCostTheRest) {
  WriteJp("17", Array({kTurn, R"({"type": "chat_request"})", kReply, R"({"type": tru})"}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 0);
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_THAT(Below(dir_ / "jp/conversations", report.problems),
              ElementsAre("17/events.json, element 1, byte 30: quarantined",
                          "17/events.json, element 3, byte 113: quarantined"));
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_EQ(ReadQuarantined(View(events[2]))->raw, R"({"type": "chat_request"})");
}

TEST_F(JpImportTest, ABadFileDoesNotCostTheOtherConversations) {
  WriteJp("1", Array({kTurn}));
  WriteJp("2", "[\n  {\"type\": \"turn_start\"},\n  {\"type\"");
  WriteJp("3", "");
  WriteJp("4", "{}");
  WriteJp("no-number", Array({kTurn}));
  WriteJp("99999999999999999999", Array({kTurn}));
  WriteJp("-5", Array({kTurn}));
  std::filesystem::create_directories(dir_ / "jp/conversations/7-empty");
  WriteJp("8", Array({kTurn}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 5);
  EXPECT_EQ(report.failed, 4);
  EXPECT_THAT(Below(dir_ / "jp/conversations", report.problems),
              ElementsAre("-5: malformed", "2/events.json, byte 26: incomplete", "3/events.json, byte 0: incomplete",
                          "4/events.json, byte 0: quarantined", "7-empty: malformed", "99999999999999999999: malformed",
                          "no-number: malformed"));
  EXPECT_EQ(Last("2"), Seq{2}) << "the record and the complete element";
}

TEST_F(JpImportTest, ExtendsATornFileThatHasBecomeWhole) {
  const std::string whole = Array({kTurn, kChat, kReply});
  WriteJp("17", whole.substr(0, whole.size() / 2));
  const ImportReport torn = Jp();
  EXPECT_EQ(torn.added, 1);
  ASSERT_THAT(torn.problems, SizeIs(1));
  ASSERT_THAT(torn.bytes, SizeIs(1));
  EXPECT_GT(torn.bytes[0].unreadable, 0U);
  WriteJp("17", whole);
  const ImportReport report = Jp();
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(Jp().unchanged, 1);
}

TEST_F(JpImportTest, NamesPathsWhereNothingIs) {
  std::filesystem::create_directories(dir_ / "empty");
  Write("file", "");
  const ImportReport report = Jp({dir_ / "missing", dir_ / "empty", dir_ / "file"});
  ASSERT_THAT(report.problems, SizeIs(3));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kNotFound);
  EXPECT_EQ(report.problems[1].code, ImportProblemCode::kUnknownFormat) << "contains nothing of it";
  EXPECT_EQ(report.problems[2].code, ImportProblemCode::kUnknownFormat) << "not a folder";
}

TEST_F(JpImportTest, NamesTheFolderThatAFileIsAPartOf) {
  const std::filesystem::path folder = WriteJp("17", Array({kTurn, kChat}));
  for (const char* const format : {"jp", "auto"}) {
    const ImportReport report = Must(Import(*log_, format, std::vector{folder / "events.json"}));
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_EQ(report.problems[0].code, ImportProblemCode::kUnknownFormat);
    EXPECT_THAT(report.problems[0].reason, HasSubstr("import its folder, " + folder.string())) << format;
  }
  EXPECT_THAT(Jp({Write("notes/file.json", "[]")}).problems[0].reason, HasSubstr("one folder each"));
}

TEST_F(JpImportTest, RedactsAnswersToSecretQuestions) {
  const std::string ask = R"({"type": "inquiry_request", "id": "c.q.1", "source": {"source": "tool", "name": "t"},)"
                          R"( "question": {"text": "?", "answer_type": {"type": "secret"}}})";
  WriteJp("17", Array({kTurn, ask, R"({"type": "inquiry_response", "id": "c.q.1", "answer": "hunter2"})"}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_EQ(report.notes[0].element, 2);
  EXPECT_EQ(report.notes[0].code, ImportProblemCode::kSecretRedacted);
  const std::vector<Event> events = Events("17");
  EXPECT_EQ(std::get<InquiryResponse>(events.at(3).body).outcome, Outcome::kRedacted);
  EXPECT_EQ(ReadImportEvent(View(events[0]))->fingerprint, "") << "a hash of the source would tell about the answer";
  EXPECT_EQ(Jp().unchanged, 1);
  ASSERT_TRUE(log_->Checkpoint());
  for (const auto& [name, bytes] : ReadTree(store_.dir / "store")) EXPECT_EQ(bytes.find("hunter2"), bytes.npos) << name;
}

TEST_F(JpImportTest, KeepsEventsThatRepeatAnEventId) {
  const std::string event = R"({"type": "turn_start", "event_id": "e1"})";
  WriteJp("17", Array({event, event, R"({"type": "later", "event_id": "e1"})"}));
  const ImportReport report = Jp();
  EXPECT_EQ(report.events, 4);
  ASSERT_THAT(report.notes, SizeIs(2));
  EXPECT_EQ(report.notes[0].element, 1);
  EXPECT_EQ(report.notes[0].code, ImportProblemCode::kRepeatedId);
  EXPECT_EQ(Last("17"), Seq{4});
  EXPECT_EQ(Jp().unchanged, 1);
}

TEST_F(JpImportTest, NotesAConversationWithoutConfiguration) {
  const auto place = WriteJp("17", Array({kTurn}));
  std::filesystem::remove(place / "base_config.json");
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 1);
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_EQ(report.notes[0].code, ImportProblemCode::kNoBaseConfig);
}

TEST_F(JpImportTest, StopsWhenTheLogFails) {
  WriteJp("17", Array({kTurn}));
  ASSERT_TRUE(log_->Close());
  OpenOptions options;
  options.mode = OpenMode::kRead;
  auto reader = OpenLog(store_.dir / "store", options);
  ASSERT_TRUE(reader);
  const auto report = Import(**reader, "jp", std::vector{dir_ / "jp"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kReadOnly);
}

}  // namespace
}  // namespace turnlog::jp_import_test
