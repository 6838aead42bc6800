// Import records that no import wrote: an export writes only what the folder of their program may hold.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/logged/import_record.h"
#include "migrate/opencode/storage.h"
#include "tests/migrate/import_fixture.h"

namespace turnlog::forged_record_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::string_view kEvil = "[core]\n\tfsmonitor = touch /tmp/owned\n";

const std::vector<std::string> kNames{
    ".git",
    ".GIT",
    ".git/config",
    "sub/.git/config",
    "../../outside",
    "../outside.jsonl",
    "/tmp/outside.jsonl",
    "..",
    "a/../../x.jsonl",
    ".hidden.jsonl",
    "Makefile",
    "a\x1b[2J.jsonl",
    "a\xe2\x80\xaegpj.jsonl",
    "a\n.jsonl",
    "hooks/pre-commit",
    "./x.jsonl",
    "tool-results",
    ".git/tool-results/config",
};

class ForgedRecordTest : public ImportTest {
 protected:
  // A conversation of one event with these bytes, whose record says that it is of this file.
  void Forge(std::string_view format, std::string_view conversation, std::string source,
             std::map<std::string, std::string> parts, std::string bytes) {
    Append(conversation, MakeImportEvent({.format = std::string(format),
                                          .source = std::move(source),
                                          .events = 1,
                                          .fingerprint = {},
                                          .redacted = false,
                                          .parts = std::move(parts)}));
    Event event;
    event.source_text = std::move(bytes);
    Append(conversation, event);
  }

  // The names of what an export of all conversations writes.
  std::vector<std::string> Exported(std::string_view format) {
    const std::vector<ConversationId> ids = All();
    (void)ExportToFolder(*log_, format, ids, dir_ / "in" / "to", {.raw = true});
    std::vector<std::string> names;
    for (const auto& [name, bytes] : ReadTree(dir_.path())) {
      if (!name.starts_with("store")) names.push_back(name);
    }
    return names;
  }
};

TEST_F(ForgedRecordTest, OfClaudeCodeNamesOnlyItsFiles) {
  int number = 0;
  for (const std::string& name : kNames) {
    Forge("claude-code", fmt::format("a{}", ++number), name, {}, std::string(kEvil));
    Forge("claude-code", fmt::format("b{}", number), "x.jsonl", {{"file", name}}, std::string(kEvil));
  }
  EXPECT_THAT(Exported("claude-code"), IsEmpty());
  Forge("claude-code", "good", "s.jsonl", {{"file", "s/tool-results/o1.txt"}}, "x");
  EXPECT_THAT(Exported("claude-code"), ElementsAre("in/to/s/tool-results/o1.txt"));
}

TEST_F(ForgedRecordTest, OfOpencodeNamesOnlyItsFiles) {
  int number = 0;
  for (const std::string& name : kNames) {
    for (const char* up : {"", "../../", "../../../"}) {
      Forge("opencode", fmt::format("c{}", ++number), "ses", {}, fmt::format("{}{}{}\n{}", kFileMark, up, name, kEvil));
    }
  }
  EXPECT_THAT(Exported("opencode"), IsEmpty());
}

TEST_F(ForgedRecordTest, OfJpNamesOnlyItsFiles) {
  int number = 0;
  for (const std::string& name : kNames) {
    Forge("jp", fmt::format("a{}", ++number), name, {}, std::string(kEvil));
    Forge("jp", fmt::format("17{}", number), fmt::format("17{}-x", number), {{"files/" + name, std::string(kEvil)}},
          std::string(kEvil));
  }
  // Beside its events, a folder of jp may have any files, but no folders.
  EXPECT_THAT(Exported("jp"), Each(AllOf(MatchesRegex("in/to/[-a-z0-9]*/[-._A-Za-z0-9]*"), Not(EndsWith("/.git")))));
}

}  // namespace
}  // namespace turnlog::forged_record_test
