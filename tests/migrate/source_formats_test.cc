// Of which format a source is: by its contents, and by what the user says.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/is_problem.h"
#include "tests/support/must.h"

namespace turnlog::source_formats_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = "{\"type\":\"turn_start\"}\n";

using SourceFormatsTest = ImportTest;

TEST_F(SourceFormatsTest, RecognisesFormatsByTheirContents) {
  WriteJp("17-a", "[\n  {\"type\": \"turn_start\"}\n]\n", "mixed/jp/conversations");
  WriteJp("18-b", "[]\n", "mixed/jp/conversations/.archive");
  Write("mixed/talk.txt", kTurn);
  Write("mixed/other.jsonl", "{\"kind\":\"something else\"}\n");
  Write("mixed/notes.md", "text");
  const ImportReport report = Auto({dir_ / "mixed"});
  EXPECT_EQ(report.added, 3);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(Last("17"), Seq{2});
  EXPECT_EQ(Last("18"), Seq{1});
  EXPECT_EQ(Last("talk"), Seq{1});
}

// Other programs have arrays under these names, too, in folders whose names are numbers.
TEST_F(SourceFormatsTest, TakesNoOtherArrayForAConversationOfJp) {
  Write("all/1/messages.json", R"([{"id":"m1","role":"user","parts":[{"type":"text","text":"hi"}]}])");
  Write("all/2024/events.json", R"([{"timestamp":"2024-05-01T00:00:00Z","type":"push"}])");
  Write("all/2025-05/events.json", R"([{"title":"party"}])");
  Write("all/9/talk.jsonl", kTurn);
  Write("all/9/events.json", "[]");
  const ImportReport report = Auto({dir_ / "all"});
  EXPECT_EQ(report.added, 2U);
  EXPECT_EQ(Last("talk"), Seq{1});
  EXPECT_EQ(Said("messages"), std::vector<std::string>{"hi"});
  const std::string config = R"([{"type":"config_delta","delta":{"a":")" + std::string(100'000, 'x') + "\"}}]";
  Write("jp/17/events.json", config);
  Write("jp/18/messages.json", R"([{"timestamp":"2025-06-01 10:00:00.5","message":"hi","reply":{"content":"yo"}}])");
  EXPECT_EQ(Auto({dir_ / "jp"}).added, 2U);
  EXPECT_EQ(Last("18"), Seq{3});
}

// What is beside the conversation may come first, and may be all that there is.
TEST_F(SourceFormatsTest, RecognisesSessionsThatBeginWithOtherRecords) {
  const std::string beside = R"({"type":"mode","mode":"plan","sessionId":"0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"})";
  const std::string text = ClaudeUser("u1", R"("hi")"), answer = ClaudeUser("u2", R"("ho")");
  const auto id = [](int n) { return fmt::format("0a1b2c3d-4e5f-4061-8071-{:012}", n); };
  std::string many;
  for (int i = 0; i < 2'000; ++i)
    many += R"({"type":"noise","text":"................................"})"
            "\n";
  Write("all/" + id(1) + ".jsonl", many + text + "\n");
  Write("all/" + id(2) + ".jsonl", R"({"noise":")" + std::string(300'000, 'x') + "\"}\n" + text + "\n");
  Write("all/" + id(3) + ".jsonl", text + answer);
  Write("all/" + id(4) + ".jsonl", beside + "\n");
  const ImportReport report = Auto({dir_ / "all"});
  EXPECT_EQ(report.added, 4U);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(Events(id(3)).size(), 5U);  // with its import record
}

TEST_F(SourceFormatsTest, NamesTheFilesOfLinesThatAreOfNoKnownFormat) {
  Write("all/talk.jsonl", kTurn);
  Write("all/other.jsonl", "{\"a\":1}\n");
  Write("all/empty.jsonl", "");
  Write("all/notes.txt", "hello");
  const ImportReport report = Auto({dir_ / "all"});
  EXPECT_EQ(report.added, 1U);
  ASSERT_THAT(report.notes, ElementsAre(IsProblem(dir_ / "all", ImportProblemCode::kSkipped)));
  EXPECT_EQ(report.notes[0].reason, "not of a known format: 1 file (other.jsonl)");
}

TEST_F(SourceFormatsTest, NamesAFileOfNoKnownFormat) {
  const ImportReport report = Auto({Write("notes.md", "text")});
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kUnknownFormat);
}

// A wrong word makes no conversation of a file that has nothing of the format.
TEST_F(SourceFormatsTest, RefusesAFileOfAnotherFormatThanTheOneAskedFor) {
  const auto claude = Write("talk.jsonl", ClaudeUser("u1", R"("hi")") + "\n");
  const auto package = Write("package.json", R"({"name":"p","version":"1.0","files":["a"],"authors":[{"name":"x"}]})");
  for (const FormatInfo& format : Formats()) {
    if (!format.imports || format.name == "claude-code") continue;
    const ImportReport report = Must(Import(*log_, format.name, std::vector{claude, package}));
    ASSERT_THAT(report.problems, SizeIs(2)) << format.name;
    EXPECT_EQ(report.added, 0U) << format.name;
    if (format.name == "jp" || format.name == "jsonl") continue;
    EXPECT_EQ(report.problems[1].reason, fmt::format("has nothing of the format {}", format.name));
  }
  EXPECT_THAT(All(), IsEmpty());
  const ImportReport codex = Must(Import(*log_, "codex", std::vector{claude}));
  ASSERT_THAT(codex.problems, ElementsAre(IsProblem(claude, ImportProblemCode::kUnknownFormat)));
  EXPECT_EQ(codex.problems[0].reason, "is of the format claude-code, not of codex");
  EXPECT_EQ(Auto({claude}).added, 1U);
}

// A wrong word is not remembered if nothing came in by it.
TEST_F(SourceFormatsTest, GoByContentAfterAFormatThatDidNotFit) {
  const auto damaged = Write("talk.jsonl", ClaudeUser("u1", R"("hi")") + "\n{\"uuid\": tru\n");
  const ImportReport wrong = Must(Import(*log_, "jsonl", std::vector{damaged}));
  EXPECT_EQ(wrong.added, 0U);
  EXPECT_EQ(wrong.failed, 1U);
  EXPECT_EQ(Auto({damaged}).added, 1U);
}

TEST_F(SourceFormatsTest, KeepTheFormatInWhichTheyCameInWhenTheyAreRefused) {
  const auto talk = Write("talk.json", R"([{"role":"user","content":"hi"}])");
  const auto import = [&](std::string_view format) { return Must(Import(*log_, format, std::vector{talk})); };
  EXPECT_EQ(import("openai").added, 1U);
  Write("talk.json", R"([{"role":"user","content":"something else"}])");
  for (const char* const format : {"openai", "auto"}) {
    const ImportReport report = import(format);
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_EQ(report.problems[0].code, ImportProblemCode::kChanged) << format;
  }
}

TEST_F(SourceFormatsTest, SkipsFilesOfAnotherFormatThanTheOneAskedForInAFolder) {
  Write("all/talk.jsonl", ClaudeUser("u1", R"("hi")") + "\n");
  Write("all/package.json", R"({"name":"p"})");
  const std::vector<std::filesystem::path> all{dir_ / "all"};
  const ImportReport none = Must(Import(*log_, "gemini", all));
  ASSERT_THAT(none.problems, ElementsAre(IsProblem(dir_ / "all", ImportProblemCode::kUnknownFormat)));
  EXPECT_EQ(none.problems[0].reason, "contains nothing of the format gemini, but files of claude-code");
  Write("all/chat.json", R"([{"role":"user","content":"hi"}])");
  const ImportReport some = Must(Import(*log_, "openai", all));
  EXPECT_THAT(some.problems, IsEmpty());
  EXPECT_EQ(some.added, 1U);
  ASSERT_THAT(some.notes, ElementsAre(IsProblem(dir_ / "all", ImportProblemCode::kSkipped)));
  EXPECT_EQ(some.notes[0].reason, "not of the format openai: 2 files (package.json, talk.jsonl)");
}

TEST_F(SourceFormatsTest, AFileThatMayBeOfTheFormatAskedForComesIn) {
  const auto in = [&](std::string_view format, const std::filesystem::path& path) {
    return Must(Import(*log_, format, std::vector{path})).added;
  };
  EXPECT_EQ(in("openai", Write("empty.json", "[]")), 1U);
  EXPECT_EQ(in("openai", Write("begun.json", R"({"model":"m","messages":[]})")), 1U);
  EXPECT_EQ(in("openai", Write("system.json", R"([{"role":"system","content":"be brief"}])")), 1U);
  EXPECT_EQ(in("anthropic", Write("torn.json", R"({"mod)")), 1U);
  EXPECT_EQ(in("claude-code", Write("new.jsonl", "{\"kind\":\"new\",\"sessionId\":\"s\"}\n")), 1U);
}

TEST_F(SourceFormatsTest, NamesTheFormatsToChooseFrom) {
  const auto list = Write("list.json", R"([{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}])");
  const ImportReport report = Auto({list});
  ASSERT_THAT(report.problems, ElementsAre(IsProblem(list, ImportProblemCode::kUnknownFormat)));
  EXPECT_EQ(report.problems[0].reason,
            "unknown format; name it instead of auto if it is one of: anthropic, openai, ui-messages, model-messages");
}

TEST_F(SourceFormatsTest, SaysHowToReadWhatIsCompressed) {
  for (const auto& [begin, program] : std::vector<std::pair<std::string, std::string>>{
           {"\x1f\x8b\b", "gzip"}, {"\xfd\x37zXZ", "xz"}, {"BZh91AY", "bzip2"}, {"PK\x03\x04", "zip"}}) {
    const auto file = Write("talk.jsonl." + program, begin + "\"\n\"");
    for (const std::string_view format : {"auto", "claude-code", "openai", "jsonl"}) {
      const ImportReport report = Must(Import(*log_, format, std::vector{file}));
      EXPECT_EQ(report.added, 0U);
      ASSERT_THAT(report.problems, ElementsAre(IsProblem(file, ImportProblemCode::kUnknownFormat))) << format;
      EXPECT_EQ(report.problems[0].reason, "is compressed with " + program + ": unpack it first");
    }
  }
}

TEST_F(SourceFormatsTest, NamesTheFormatsToChooseFromForAFolder) {
  Write("all/talk.json", R"([{"role":"user","content":"hi"}])");
  const ImportReport report = Auto({dir_ / "all"});
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].reason, HasSubstr("instead of auto if it is one of: "));
  EXPECT_THAT(report.problems[0].reason, HasSubstr("openai"));
}

}  // namespace
}  // namespace turnlog::source_formats_test
