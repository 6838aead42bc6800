// Importing again what has been redacted in the log: it stays so.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/jp_record.h"
#include "tests/migrate/import_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/export.h"
#include "turnlog/redact.h"

namespace turnlog::redacted_test {
namespace {

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
    const auto receipt = (*redaction)->Prove();
    ASSERT_TRUE(receipt) << receipt.error().message;
    EXPECT_TRUE(receipt->clean());
  }

  std::vector<std::string> Lines(std::string_view conversation) {
    std::vector<std::string> lines;
    for (const Event& event : Events(conversation)) lines.push_back(ToJson(View(event)));
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
  EXPECT_EQ(changed.notes[0].reason, "notes has been redacted in the log and stays so");
  const auto record = ReadJpRecord(View(Events("17").back()));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->files.at("notes"), "a [redacted] b [redacted]");
  EXPECT_EQ(record->files.at("bytes"), "[redacted]");
  EXPECT_THAT(record->files.at("metadata.json"), HasSubstr("new"));
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
  const auto record = ReadJpRecord(View(Events("17")[4]));
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
  ASSERT_TRUE(ExportJp(*log_, std::vector{Id("17")}, dir_ / "out"));
  for (const auto& [name, text] : ReadTree(dir_ / "out")) EXPECT_THAT(text, Not(HasSubstr(value_))) << name;
  EXPECT_EQ(Jp({dir_ / "out"}).unchanged, 1U);
  TempStore fresh;
  std::swap(fresh.log, log_);
  EXPECT_EQ(Jp({dir_ / "out"}).added, 1U);
  const auto after = Lines("17");
  EXPECT_THAT(std::vector(after.begin() + 1, after.end()), ElementsAre(before[1], before[2], before[3]));
  std::swap(fresh.log, log_);
}

}  // namespace
}  // namespace turnlog::redacted_test
