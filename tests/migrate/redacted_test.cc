// Importing events again that have been redacted in the log: they stay redacted.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/logged/import_record.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/export.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::redacted_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RedactedTest : public ImportTest {
 protected:
  static std::string Array(const std::vector<std::string>& elements) {
    return fmt::format("[\n  {}\n]\n", fmt::join(elements, ",\n  "));
  }
  std::string Chat(std::string_view text) const {
    return fmt::format(R"({{"type": "chat_request", "content": "{}"}})", text);
  }

  void Redact() {
    RedactionTargets targets;
    targets.values = {value_};
    auto redaction = Redaction::Plan(*log_, targets);
    ASSERT_TRUE(redaction) << redaction.error().message;
    const Status applied = (*redaction)->Apply("tester");
    ASSERT_TRUE(applied) << applied.error().message;
    const auto result = (*redaction)->Prove();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->clean());
  }

  std::vector<std::string> Lines(std::string_view conversation) {
    std::vector<std::string> lines;
    for (const Event& event : Events(conversation)) lines.push_back(ToJson(event));
    return lines;
  }

  const std::string value_ = std::string("Kq7v-rather") + "Secret!9x";
  const std::string turn_ = R"({"type": "turn_start"})";
};

TEST_F(RedactedTest, AFolderOfJpIsUnchangedAndItsHashIsGone) {
  WriteJp("17-a", Array({turn_, Chat(value_)}));
  WriteJp("18-b", Array({turn_, Chat("nothing")}));
  Jp();
  Redact();
  EXPECT_THAT(Lines("17")[0], HasSubstr(R"("fingerprint":"")"));
  EXPECT_THAT(Lines("18")[0], Not(HasSubstr(R"("fingerprint":"")"))) << "nothing of it has been redacted";
  const ImportReport again = Jp();
  EXPECT_EQ(again.unchanged, 2U);
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_THAT(Lines("17"), Each(Not(HasSubstr(value_))));
}

TEST_F(RedactedTest, ARecordOfAnotherAgentLosesAllFormsOfTheValue) {
  // The same value four times: as the text of an event, in a field that only the template has, in a foreign event, and
  // in a text with escapes that no event reproduces.
  std::string escaped = value_;
  escaped.replace(0, 1, "\\u004b");
  const std::string session = std::string(kClaudeSession);
  const std::string text =
      ClaudeUser("1", R"("nothing")") + "\n" + ClaudeUser("2", "\"a " + value_ + "\"") + "\n" +
      ClaudeResult("3", "t", R"("ok")", R"(,"toolUseResult":{"stdout":")" + value_ + "\"}") + "\n" +
      R"({"type":"mode","sessionId":")" + value_ + "\"}\n" +
      ClaudeAssistant("4", R"({"type":"text","text":"b"},{"type":"text","text":")" + escaped + "\"}") + "\n";
  const std::vector<std::filesystem::path> paths{Write(session + ".jsonl", text)};
  ASSERT_TRUE(Import(*log_, "claude-code", paths));
  Redact();
  EXPECT_THAT(Lines(session), Each(AllOf(Not(HasSubstr(value_)), Not(HasSubstr(escaped.substr(0, 8))))));
  const auto again = Import(*log_, "claude-code", paths);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->unchanged, 1U);
  EXPECT_THAT(again->problems, IsEmpty());
  EXPECT_THAT(Lines(session), Each(Not(HasSubstr(value_))));
}

TEST_F(RedactedTest, WhatAFolderOfJpHasBesideItsEventsStaysRedacted) {
  WriteJp("17-a", Array({turn_, Chat("x")}));
  Write("jp/conversations/17-a/base_config.json", fmt::format("{{\n  \"key\": \"{}\"\n}}\n", value_));
  Write("jp/conversations/17-a/notes", "a " + value_ + " b " + value_);
  Write("jp/conversations/17-a/bytes", "\xff\xfe " + value_);
  Jp();
  Redact();
  EXPECT_EQ(Jp().unchanged, 1U);

  Write("jp/conversations/17-a/metadata.json", "{\n  \"title\": \"new\"\n}\n");
  Write("jp/conversations/17-a/notes", "another text with " + value_);
  const ImportReport changed = Jp();
  EXPECT_EQ(changed.extended, 1U);
  ASSERT_THAT(changed.notes, SizeIs(1));
  EXPECT_EQ(changed.notes[0].code, ImportProblemCode::kStillRedacted);
  const auto record = ReadImportEvent(View(Events("17").back()));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->parts.at("files/notes"), "a [redacted] b [redacted]");
  EXPECT_EQ(record->parts.at("files/bytes"), "[redacted]");
  EXPECT_THAT(record->parts.at("files/metadata.json"), HasSubstr("new"));
  EXPECT_THAT(record->fingerprint, IsEmpty());
  EXPECT_THAT(Lines("17"), Each(Not(HasSubstr(value_))));
}

TEST_F(RedactedTest, ABaseConfigThatJpMovesStaysRedacted) {
  const std::string config = fmt::format(R"({{"type": "config_delta", "delta": {{"key": "{}"}}}})", value_);
  const auto place = WriteJp("17", Array({config, turn_}));
  std::filesystem::remove(place / "base_config.json");
  Jp();
  Redact();
  EXPECT_EQ(Jp().unchanged, 1U);
  WriteJp("17", Array({turn_, Chat("new")}));
  Write(place / "base_config.json", fmt::format("{{\n  \"key\": \"{}\"\n}}\n", value_));
  EXPECT_EQ(Jp().extended, 1U);
  EXPECT_THAT(Lines("17"), Each(Not(HasSubstr(value_))));
}

TEST_F(RedactedTest, WhatIsNewInAFolderOfJpStillComesIn) {
  WriteJp("17-a", Array({turn_, Chat(value_)}));
  Jp();
  Redact();
  WriteJp("17-a", Array({turn_, Chat(value_), Chat("more")}));
  EXPECT_EQ(Jp().events, 1U + 1U);
  EXPECT_THAT(Lines("17").back(), HasSubstr("more"));
  EXPECT_THAT(Lines("17"), Each(Not(HasSubstr(value_))));
  const auto record = ReadImportEvent(View(Events("17")[4]));
  ASSERT_TRUE(record);
  EXPECT_THAT(record->fingerprint, IsEmpty()) << "it would be a hash of the value";
  EXPECT_EQ(Jp().unchanged, 1U);
}

TEST_F(RedactedTest, LinesOfJsonAreUnchanged) {
  const auto file =
      Write("chat.jsonl", "{\"type\":\"turn_start\"}\n{\"type\":\"chat_request\",\"content\":\"" + value_ + "\"}\n");
  Jsonl({file});
  Redact();
  const ImportReport again = Jsonl({file});
  EXPECT_EQ(again.unchanged, 1U);
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_THAT(Lines("chat"), Each(Not(HasSubstr(value_))));
}

TEST_F(RedactedTest, WhatGoesOutComesInAgain) {
  WriteJp("17-a", Array({turn_, Chat("a " + value_), Chat("x")}));
  Write("jp/conversations/17-a/notes", value_);
  Jp();
  Redact();
  const auto before = Lines("17");
  ASSERT_TRUE(ExportToJp({Id("17")}, dir_ / "out"));
  for (const auto& [name, text] : ReadTree(dir_ / "out")) EXPECT_THAT(text, Not(HasSubstr(value_))) << name;
  EXPECT_EQ(Jp({dir_ / "out"}).unchanged, 1U);
  TempStore fresh;
  std::swap(fresh.log, log_);
  EXPECT_EQ(Jp({dir_ / "out"}).added, 1U);
  const auto after = Lines("17");
  EXPECT_THAT(std::vector(after.begin() + 1, after.end()), ElementsAre(before[1], before[2], before[3]));
  std::swap(fresh.log, log_);
}

// Whatever a source contains later: redacted values never enter the store again.
class RedactedSourceTest : public RedactedTest {
 protected:
  void ImportAndLook(const std::vector<std::string>& elements) {
    WriteJp("17-a", Array(elements));
    Write(metadata_, fmt::format("{{\n  \"title\": \"{}\",\n  \"n\": {}\n}}\n", value_, elements.size()));
    const ImportReport report = Jp();
    EXPECT_EQ(report.failed, 0U);
    ASSERT_TRUE(log_->Checkpoint());
    for (const auto& [name, bytes] : ReadTree(store_path_)) {
      EXPECT_FALSE(bytes.contains(value_)) << name << " after " << elements.size() << " elements";
    }
  }

  std::filesystem::path store_path_ = store_.dir / "store";
  const std::filesystem::path metadata_ = "jp/conversations/17-a/metadata.json";
};

TEST_F(RedactedSourceTest, StaysRedactedOverManyImports) {
  WriteJp("17-a", Array({turn_}));
  Write(metadata_, fmt::format("{{\n  \"title\": \"{}\"\n}}\n", value_));
  Jp();
  Redact();
  std::vector<std::string> elements{turn_};
  for (int i = 0; i < 4; ++i) {
    elements.push_back(Chat(fmt::format("message {}", i)));
    ImportAndLook(elements);
    const auto record = ReadImportEvent(View(Events("17")[Last("17").value - 2]));
    ASSERT_TRUE(record);
    EXPECT_TRUE(record->redacted);
  }
}

// In JSON a number that was redacted is 0.
TEST_F(RedactedSourceTest, ANumberStaysRedacted) {
  const std::string number = "88776655";
  const auto write = [&](const std::vector<std::string>& elements) {
    WriteJp("17-a", Array(elements));
    Write(metadata_, fmt::format("{{\n  \"title\": \"t\",\n  \"pin\": {}\n}}\n", number));
    Write("jp/conversations/17-a/limits.json", fmt::format("[{}, {}]", number, elements.size()));
    EXPECT_THAT(Jp().problems, IsEmpty());
  };
  write({turn_});
  RedactionTargets targets;
  targets.values = {number};
  const auto redaction = Must(Redaction::Plan(*log_, targets));
  Must(redaction->Apply("tester"));
  EXPECT_TRUE(Must(redaction->Prove()).clean());
  std::vector<std::string> elements{turn_};
  for (int i = 0; i < 3; ++i) {
    elements.push_back(Chat(fmt::format("message {}", i)));
    write(elements);
    Must(log_->Checkpoint());
    for (const auto& [name, bytes] : ReadTree(store_path_)) EXPECT_FALSE(bytes.contains(number)) << name;
  }
}

// The names of redacted parts are redacted, too, when that comes later.
TEST_F(RedactedSourceTest, ThenTheNameOfTheFileIsRedacted) {
  WriteJp("17-a", Array({turn_}));
  const std::string name = "nameOfTheFile88";
  Write("jp/conversations/17-a/" + name + ".json", "{\"pin\": 88776655}");
  Jp();
  for (const std::string_view value : {std::string_view("88776655"), std::string_view(name)}) {
    RedactionTargets targets;
    targets.values = {value};
    const auto redaction = Must(Redaction::Plan(*log_, targets));
    Must(redaction->Apply("tester"));
    EXPECT_TRUE(Must(redaction->Prove()).clean());
    for (const auto& [file, bytes] : ReadTree(store_path_)) EXPECT_FALSE(bytes.contains(value)) << file;
  }
  WriteJp("17-a", Array({turn_, Chat("more")}));
  EXPECT_EQ(Jp().extended, 1U);
  Must(log_->Checkpoint());
  for (const auto& [file, bytes] : ReadTree(store_path_)) {
    EXPECT_FALSE(bytes.contains("88776655")) << file;
    EXPECT_FALSE(bytes.contains(name)) << file;
  }
}

TEST_F(RedactedSourceTest, StaysRedactedWhenTheFileWasAwayForAWhile) {
  WriteJp("17-a", Array({turn_}));
  Write(metadata_, fmt::format("{{\n  \"title\": \"{}\"\n}}\n", value_));
  Jp();
  Redact();
  WriteJp("17-a", Array({turn_, Chat("1")}));
  std::filesystem::remove(dir_ / metadata_);
  Jp();
  ImportAndLook({turn_, Chat("1"), Chat("2")});
}

// Claude Code writes records again on resume, with another branch and version.
TEST_F(RedactedSourceTest, StaysRedactedInRecordsThatAreWrittenAgain) {
  const auto session = [&](std::string_view version) {
    const std::string said = fmt::format("\"it is {}\"", value_), fields = fmt::format(R"(,"version":"{}")", version);
    return ClaudeUser("u", said, fields) + "\n" + ClaudeResult("r", "t", said, fields) + "\n" +
           R"({"type":"queue-operation","operation":"remove","sessionId":"s","content":)" + said + "}\n";
  };
  const std::string name(kClaudeSession);
  const auto import = [&](const std::string& text) {
    const std::vector<std::filesystem::path> paths{Write(name + ".jsonl", text)};
    EXPECT_THAT(Must(Import(*log_, "claude-code", paths)).problems, IsEmpty());
  };
  import(session("2.1.1"));
  ASSERT_THAT(Lines(name), Contains(HasSubstr(value_)));
  Redact();
  const std::string more = ClaudeUser("v", R"("go on")") + "\n";
  import(session("2.1.1") + more + session("2.1.2"));
  import(session("2.1.1") + more + session("2.1.2") + session("2.1.3"));
  EXPECT_THAT(Lines(name), Contains(HasSubstr("go on")));
  Must(log_->Checkpoint());
  for (const auto& [file, bytes] : ReadTree(store_path_)) EXPECT_FALSE(bytes.contains(value_)) << file;
}

TEST_F(RedactedSourceTest, StaysRedactedInACopyOfTheStore) {
  WriteJp("17-a", Array({turn_}));
  Write(metadata_, fmt::format("{{\n  \"title\": \"{}\"\n}}\n", value_));
  Jp();
  Redact();
  const auto copy = Write("copy.jsonl", ExportToJsonl({Id("17")}, {.raw = true}));
  TempStore other;
  std::swap(other.log, log_);
  store_path_ = other.dir / "store";
  Jsonl({copy});
  ImportAndLook({turn_, Chat("1")});
  std::swap(other.log, log_);
}

}  // namespace
}  // namespace turnlog::redacted_test
