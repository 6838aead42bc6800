// append, import, export.
#include <fmt/format.h>

#include <filesystem>

#include "tests/logctl/logctl_test.h"
#include "tests/support/shared_data.h"

namespace turnlog::write_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kHello = R"({"type":"chat_request","content":"hello"})";

class AppendTest : public LogctlTest {
 protected:
  bool StoreIsThere() { return std::filesystem::exists(store()); }
};

TEST_F(AppendTest, CreatesTheStoreAndPrintsTheSeqs) {
  EXPECT_EQ(Output({"append", "c"}, kHello), "c: 1 event appended as 1\n");
  EXPECT_EQ(Output({"append", "c"}, std::string(kHello) + "\n\n" + kHello + "\r\n"), "c: 2 events appended as 2..3\n");
  EXPECT_EQ(Output({"append", "c", "--quiet", "--durability", "buffered"}, kHello), "");
}

TEST_F(AppendTest, GivesTheSeqsAsJson) {
  Append("c", kHello);
  const auto json = Json({"append", "c"}, std::string(kHello) + "\n" + kHello);
  EXPECT_EQ(json["conversation"].Text(), "c");
  ASSERT_EQ(json["events"].Size(), 2u);
  EXPECT_EQ(json["events"][1]["seq"].Number(), 3u);
  EXPECT_FALSE(json["events"][1]["repeated"].Flag());
}

TEST_F(AppendTest, TakesTheOutputOfCat) {
  AppendSample();
  Append("copy", Output({"cat", "sample"}));
  Strings copy = Lines(Output({"cat", "copy"}));
  for (std::string& line : copy) line.replace(line.find("\"copy\""), 6, "\"sample\"");
  EXPECT_EQ(copy, Lines(Output({"cat", "sample"})));
}

TEST_F(AppendTest, WritesAKnownEventIdOnce) {
  const std::string event = R"({"type":"chat_request","content":"hello","event_id":"e1"})";
  Append("c", event);
  const Ran ran = Logctl({"append", "c"}, event);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "c: 0 events appended\n");
  EXPECT_TRUE(Json({"append", "c"}, event)["events"][0]["repeated"].Flag());
}

TEST_F(AppendTest, RefusesWhenTheLastSeqIsAnother) {
  Append("c", kHello);
  EXPECT_EQ(Logctl({"append", "c", "--expect", "1"}, kHello).exit_code, 0);
  const Ran ran = Logctl({"append", "c", "--expect", "1"}, kHello);
  EXPECT_THAT(ran, Fails(1));
  EXPECT_THAT(ran.err, HasSubstr("logctl cat c --from 2"));
  EXPECT_THAT(Logctl({"append", "c", "--expect", "9"}, kHello), Fails(1));
  const std::string mistyped = (folder_ / "stroe").string();
  EXPECT_THAT(RunProgram({"append", "c", "--expect", "2", "--store", mistyped}, kHello), Fails(1));
  EXPECT_FALSE(std::filesystem::exists(mistyped));
  EXPECT_THAT(Lines(Output({"cat", "c"})), SizeIs(2));
}

TEST_F(AppendTest, NamesLineAndByteOfABadLineAndAppendsNothing) {
  const Ran ran = Logctl({"append", "c"}, std::string(kHello) + "\n\n{\"type\":\"chat_request\",,}\n");
  EXPECT_THAT(ran, FailsWith(1, "<stdin>:3: byte 23: "));
  EXPECT_FALSE(StoreIsThere());
}

TEST_F(AppendTest, RefusesInvalidEvents) {
  EXPECT_THAT(Logctl({"append", "c"}, "[]"), FailsWith(1, "<stdin>:1: byte 0: "));
  EXPECT_THAT(Logctl({"append", "c"}, "{}"), Fails(1));
  EXPECT_THAT(Logctl({"append", "c"}, "{\"type\":\"chat_request\",\"content\":\"\xff\"}"), Fails(1));
  EXPECT_THAT(Logctl({"append", "c"}, "{\"type\":\"chat_request\",\"content\":\"hel"),
              FailsWith(1, "<stdin>:1: byte "));
  EXPECT_THAT(Logctl({"append", "c"}, std::string(5000, '[')), FailsWith(1, "<stdin>:1: byte "));
  EXPECT_THAT(Logctl({"append", "c"}, std::string("{\"type\":\0}", 10)), FailsWith(1, "<stdin>:1: byte "));
  EXPECT_THAT(Logctl({"append", "c"}, R"({"type":"tool_call_response","id":")" + std::string(2000, 'x') +
                                          R"(","content":"","is_error":false})"),
              Fails(1));
  EXPECT_FALSE(StoreIsThere());
}

TEST_F(AppendTest, RefusesAnEmptyInput) {
  EXPECT_THAT(Logctl({"append", "c"}), Fails(1));
  EXPECT_THAT(Logctl({"append", "c"}, "\n  \n"), Fails(1));
  EXPECT_FALSE(StoreIsThere());
}

TEST_F(AppendTest, RefusesASecretInClearAndDoesNotRepeatIt) {
  Append(
      "c",
      R"({"type":"inquiry_request","id":"s","source":{"source":"user"},"question":{"text":"?","answer_type":{"type":"secret"}}})");
  const Ran ran =
      Logctl({"append", "c"}, R"({"type":"inquiry_response","outcome":"answered","id":"s","answer":"hunter2"})");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr(R"("outcome":"redacted")"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(Lines(Output({"cat", "c"})), SizeIs(1));
}

TEST_F(AppendTest, SaysThatAQuestionForASecretTakesNoDefault) {
  const Ran ran = Logctl(
      {"append", "c"},
      R"({"type":"inquiry_request","id":"s","source":{"source":"user"},"question":{"text":"?","answer_type":{"type":"secret"},"default":"x"}})");
  EXPECT_THAT(ran, FailsWith(1, "hint: leave out the default"));
}

TEST_F(AppendTest, RefusesInvalidConversationIds) {
  EXPECT_THAT(Logctl({"append", ""}, kHello), Fails(2));
  EXPECT_THAT(Logctl({"append", "a\nb"}, kHello), Fails(2));
  EXPECT_THAT(Logctl({"append", "a\xff"}, kHello), Fails(2));
  EXPECT_THAT(Logctl({"append", std::string(513, 'x')}, kHello), Fails(2));
  EXPECT_FALSE(StoreIsThere());
}

using ImportTest = LogctlTest;

TEST_F(ImportTest, ImportsJsonLinesOnce) {
  const std::string file = WriteFile("talk.jsonl", SampleLines());
  EXPECT_EQ(Output({"import", "jsonl", file}), "1 conversation added; 26 new events\n");
  EXPECT_EQ(Output({"import", "jsonl", file}), "0 conversations added, 1 unchanged; 0 new events\n");
  EXPECT_THAT(Lines(Output({"cat", "talk"})), SizeIs(kSampleEvents));
}

TEST_F(ImportTest, TakesPipesOfTheShell) {
  std::string lines = SampleLines();
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    lines.insert(at + 1, R"("conversation":"talk",)");
  }
  const std::string file = WriteFile("talk.jsonl", lines);
  int stores = 0;
  for (const std::string& input :
       {"<(cat '" + file + "')", "/dev/stdin < '" + file + "'", "- < '" + file + "'", "/dev/fd/3 3< '" + file + "'"}) {
    const std::string path = store() + std::to_string(++stores);
    const Ran ran = RunShell("bash", "\"$0\" --store '" + path + "' import jsonl " + input);
    EXPECT_EQ(ran.out, "1 conversation added; 26 new events\n") << input << ran.err;
    EXPECT_EQ(ran.exit_code, 0) << input;
  }
  const Ran piped = RunShell("bash", "cat '" + file + "' | \"$0\" --store '" + store() + "' import jsonl /dev/stdin");
  EXPECT_EQ(piped.out, "1 conversation added; 26 new events\n") << piped.err;
}

// The number of a pipe is another one in each run.
TEST_F(ImportTest, TakesNoPipeForTheNameOfAConversation) {
  const std::string file = WriteFile("talk.jsonl", SampleLines());
  const std::string import = "\"$0\" --store '" + store() + "' import ";
  for (const std::string& input : {"jsonl <(cat '" + file + "')", "exec:cat '" + file + "'"}) {
    const Ran ran = RunShell("bash", import + input);
    EXPECT_EQ(ran.exit_code, 1) << input;
    EXPECT_THAT(ran.err, HasSubstr("line 1, byte 0: no conversation, and the source has no name")) << input;
  }
  EXPECT_EQ(Logctl({"ls"}).out, "");
  EXPECT_EQ(RunShell("bash", "cat '" + file + "' | " + import + "jsonl -").exit_code, 0);
  EXPECT_THAT(Output({"ls"}), HasSubstr("stdin"));
}

TEST_F(ImportTest, WritesNothingIntoWhatItReads) {
  const std::string file = WriteFile("talk.jsonl", SampleLines());
  const std::string report = (folder_ / "report.txt").string();
  const auto run = [&](const std::string& words, const std::string& to) {
    return RunShell("sh", "\"$0\" --store '" + store() + "' " + words + " >> '" + to + "'");
  };
  EXPECT_THAT(run("import jsonl '" + file + "'", file), FailsWith(2, "talk.jsonl"));
  EXPECT_THAT(run("import jsonl '" + folder_.path().string() + "'", report), FailsWith(2, "report.txt"));
  EXPECT_EQ(run("import jsonl '" + file + "'", report).exit_code, 0);
  EXPECT_EQ(ReadFile("report.txt"), "1 conversation added; 26 new events\n");
  EXPECT_THAT(run("export talk --format jsonl", file), FailsWith(1, "talk.jsonl"));
  EXPECT_EQ(ReadFile("talk.jsonl"), SampleLines());
  EXPECT_EQ(run("export talk --format jsonl", report).exit_code, 0);
}

TEST_F(ImportTest, GivesTheReportAsJson) {
  const auto json = Json({"import", "jsonl", WriteFile("talk.jsonl", SampleLines())});
  EXPECT_EQ(json["conversations"]["added"].Number(), 1u);
  EXPECT_EQ(json["conversations"]["failed"].Number(), 0u);
  EXPECT_EQ(json["events"].Number(), kSampleEvents);
  EXPECT_EQ(json["problems"].Size(), 0u);
  EXPECT_EQ(json["notes"].Size(), 0u);
}

TEST_F(ImportTest, ReportsABadFileAndImportsTheOthers) {
  const std::string bad = WriteFile("bad.jsonl", std::string(kHello) + "\n{\"type\":3}\n");
  const std::string good = WriteFile("good.jsonl", kHello);
  const Ran ran = Logctl({"import", "jsonl", bad, good, (folder_ / "nosuch").string()});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("bad.jsonl"));
  EXPECT_THAT(ran.err, HasSubstr("line 2"));
  EXPECT_THAT(ran.err, HasSubstr("nosuch"));
  EXPECT_THAT(Lines(Output({"cat", "good"})), SizeIs(1));
  EXPECT_THAT(Logctl({"cat", "bad"}), Fails(1));
}

TEST_F(ImportTest, SaysOnceWhatIsWrongWithManyLines) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "{\"type\":\"chat_request\"}\n{\"type\":\"chat_response\"}\n";
  const Ran ran = Logctl({"import", "jsonl", WriteFile("bad.jsonl", lines)});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(Lines(ran.err), SizeIs(2));
  EXPECT_THAT(ran.err, HasSubstr("line 1, byte 0: content is missing (99 more like this in the file)"));
  EXPECT_THAT(ran.err, HasSubstr("line 2, byte 24: message, reasoning or data is missing (99 more"));
}

TEST_F(ImportTest, SaysOnceWhatIsToBeKnownOfManyFiles) {
  for (int i = 10; i < 40; ++i) {
    const std::string directory = fmt::format("jp/177000000{}-hello", i);
    std::filesystem::create_directories(folder_ / directory);
    WriteFile(directory + "/events.json",
              R"([{"timestamp":"2026-01-02 03:04:05.0","type":"chat_request","content":"aGVsbG8="}])");
    WriteFile(directory + "/metadata.json", "{}");
  }
  const Ran ran = Logctl({"import", "jp", (folder_ / "jp").string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(Lines(ran.err), SizeIs(1));
  EXPECT_THAT(ran.err, HasSubstr("no base config"));
  EXPECT_THAT(ran.err, HasSubstr("(29 more like this)"));
}

TEST_F(ImportTest, ImportsAJpConversationAndExportsItByteForByte) {
  const std::string events =
      "[{\"timestamp\":\"2026-01-02 03:04:05.0\",\"type\":\"turn_start\"},\n"
      " {\"timestamp\":\"2026-01-02 03:04:06.0\",\"type\":\"chat_request\",\"content\":\"aGVsbG8=\"}]\n";
  const std::string directory = "17700000001-hello";
  std::filesystem::create_directories(folder_ / "jp" / directory);
  WriteFile("jp/" + directory + "/events.json", events);
  WriteFile("jp/" + directory + "/base_config.json", "{}\n");
  WriteFile("jp/" + directory + "/metadata.json", "{\"title\":\"Hello\"}\n");
  const Ran ran = Logctl({"import", "jp", (folder_ / "jp").string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(Output({"cat", "17700000001"}), HasSubstr("hello"));

  const std::string to = (folder_ / "out").string();
  EXPECT_EQ(Logctl({"export", "17700000001", "--format", "jp", "--to", to}).exit_code, 0);
  EXPECT_EQ(ReadFile("out/" + directory + "/events.json"), events);
  EXPECT_EQ(ReadFile("out/" + directory + "/metadata.json"), "{\"title\":\"Hello\"}\n");
  EXPECT_EQ(Logctl({"export", "17700000001", "--format", "jp", "--to", to}).exit_code, 0) << "it is there";
  WriteFile("out/" + directory + "/metadata.json", "{}\n");
  const Ran again = Logctl({"export", "17700000001", "--format", "jp", "--to", to});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr(directory));
}

TEST_F(ImportTest, ImportsRealHistoriesOnce) {
  TURNLOG_SHARED_OR_SKIP(histories, "corpus/jp");
  const auto first = Json({"import", "jp", histories.string()});
  EXPECT_EQ(first["conversations"]["added"].Number(), 10u);
  EXPECT_EQ(first["conversations"]["failed"].Number(), 0u);
  const auto again = Json({"import", "jp", histories.string()});
  EXPECT_EQ(again["conversations"]["unchanged"].Number(), 10u);
  EXPECT_EQ(again["events"].Number(), 0u);
  EXPECT_THAT(Output({"verify"}), testing::EndsWith("\nclean\n"));
}

TEST_F(ImportTest, CreatesNoStoreForAMistypedPath) {
  EXPECT_THAT(Logctl({"import", "jp", (folder_ / "nosuch").string()}), Fails(1));
  EXPECT_FALSE(std::filesystem::exists(store()));
}

TEST_F(ImportTest, RefusesAFormatItDoesNotKnow) {
  EXPECT_THAT(Logctl({"import", "xml", "."}), Fails(2));
  EXPECT_THAT(Logctl({"import", "jp"}), Fails(2));
}

using ExportTest = LogctlTest;

TEST_F(ExportTest, JsonLinesCanBeImportedAgain) {
  AppendSample();
  Append("other", kHello);
  const std::string all = Output({"export", "--all", "--format", "jsonl"});
  EXPECT_EQ(all, Output({"cat", "other"}) + Output({"cat", "sample"}));
  EXPECT_EQ(Output({"export", "sample", "--format", "jsonl", "--raw"}), Output({"cat", "sample"}));
  EXPECT_EQ(Output({"export", "other", "sample", "other", "--format", "jsonl"}), all) << "each once";
  const Strings elsewhere{"--store", (folder_ / "elsewhere").string()};
  EXPECT_EQ(Output({"--store", elsewhere[1], "import", "jsonl", WriteFile("all.jsonl", all)}),
            "2 conversations added; 27 new events\n");
  EXPECT_EQ(Output({"--store", elsewhere[1], "export", "--all", "--format", "jsonl"}), all);
}

TEST_F(ExportTest, ReportsAnExportToAFolder) {
  AppendSample();
  const std::string to = (folder_ / "out").string();
  const Ran ran = Logctl({"export", "--all", "--format", "jp", "--to", to});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(to));
  EXPECT_FALSE(std::filesystem::is_empty(to));
}

TEST_F(ExportTest, WritesEachConversationWithALongNameToAFileOfItsOwn) {
  for (const char end : {'1', '2'}) Append(std::string(300, 'x') + end, kHello);
  for (const char* format : {"markdown", "html", "handoff", "jp"}) {
    const std::filesystem::path to = folder_ / format;
    EXPECT_EQ(Logctl({"export", "--all", "--format", format, "--to", to.string()}).exit_code, 0) << format;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(to), {}), 2) << format;
  }
}

TEST_F(ExportTest, GoesOnAfterAFileThatIsInTheWay) {
  Append("a", kHello);
  Append("b", kHello);
  for (const char* format : {"markdown", "jp"}) {
    const std::string to = (folder_ / format).string();
    EXPECT_EQ(Logctl({"export", "a", "--format", format, "--to", to}).exit_code, 0);
    Append("a", kHello);
    EXPECT_THAT(Logctl({"export", "--all", "--format", format, "--to", to}), FailsWith(1, "a: ")) << format;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(to), {}), 2) << format;
  }
}

TEST_F(ExportTest, FailsBeforeWritingIfAConversationIsMissing) {
  AppendSample();
  EXPECT_THAT(Logctl({"export", "sample", "nosuch", "--format", "jsonl"}), Fails(1));
}

// Two documents in one file are none.
TEST_F(ExportTest, WritesOneConversationIfTwoCannotBeReadAgain) {
  AppendSample();
  Append("other", R"({"type":"chat_request","content":"hello"})");
  for (const char* format : {"codex", "claude-code", "gemini-cli", "anthropic", "openai-chat", "html"}) {
    EXPECT_THAT(Logctl({"export", "sample", "other", "--format", format}), FailsWith(2, "one conversation")) << format;
    EXPECT_THAT(Logctl({"export", "--all", "--format", format}), FailsWith(2, "one conversation")) << format;
    EXPECT_EQ(Logctl({"export", "sample", "--format", format}).exit_code, 0) << format;
  }
  for (const char* format : {"jsonl", "markdown", "handoff"}) {
    EXPECT_EQ(Logctl({"export", "--all", "--format", format}).exit_code, 0) << format;
  }
}

// The log has what a fork has copied only in the session that was forked.
TEST_F(ExportTest, AHandoffOfAForkBeginsWithWhatItHasCopied) {
  const std::string origin = "00000000-0000-4000-8000-00000000000a", fork = "00000000-0000-4000-8000-00000000000b";
  const auto said = [](const std::string& session, int number, const std::string& text, const std::string& more = {}) {
    return fmt::format(R"({{"type":"user","uuid":"00000000-0000-4000-8000-{:012}","parentUuid":null,"sessionId":"{}",)"
                       R"("timestamp":"2026-01-01T10:00:{:02}Z","message":{{"role":"user","content":"{}"}}{}}})"
                       "\n",
                       number, session, number % 60, text, more);
  };
  const std::string copied =
      fmt::format(R"(,"forkedFrom":{{"sessionId":"{}","messageUuid":"00000000-0000-4000-8000-{:012}"}})", origin, 1);
  WriteFile(origin + ".jsonl", said(origin, 1, "the beginning") + said(origin, 2, "not in the fork"));
  WriteFile(fork + ".jsonl", said(fork, 11, "the beginning", copied) + said(fork, 12, "goes on"));
  Output({"import", "claude-code", folder_ / (origin + ".jsonl"), folder_ / (fork + ".jsonl")});
  const std::string text = Output({"export", fork, "--format", "handoff"});
  EXPECT_THAT(text, HasSubstr("Turn 1 of " + origin + ": **User**\n\n```text\nthe beginning\n"));
  EXPECT_THAT(text, HasSubstr("Turn 1: **User**\n\n```text\ngoes on\n"));
  EXPECT_THAT(text, HasSubstr("Turns: 2."));
  EXPECT_THAT(text, Not(HasSubstr("not in the fork")));
}

TEST_F(ExportTest, RefusesWrongUsage) {
  EXPECT_THAT(Logctl({"export", "--format", "jsonl"}), Fails(2));
  EXPECT_THAT(Logctl({"export", "c", "--all", "--format", "jsonl"}), Fails(2));
  EXPECT_THAT(Logctl({"export", "c", "--format", "jp"}), Fails(2));
  EXPECT_THAT(Logctl({"export", "c", "--format", "jsonl", "--to", "x"}), Fails(2));
  EXPECT_THAT(Logctl({"export", "c", "--format", "xml"}), Fails(2));
  EXPECT_THAT(Logctl({"export", "c"}), Fails(2));
  for (const char* format : {"openai", "openai-agents", "langgraph", "ui-messages", "model-messages"}) {
    EXPECT_THAT(Logctl({"export", "c", "--format", format}), FailsWith(2, "--raw")) << format;
  }
}

}  // namespace
}  // namespace turnlog::write_test
