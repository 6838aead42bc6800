// Closed pipes, full disks, closed streams, and several processes at one store.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signals are POSIX

#include <cstdlib>

#include "tests/logctl/logctl_test.h"
#include "turnlog/event_json.h"

namespace turnlog::streams_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kHello = R"({"type":"chat_request","content":"hello"})";

class StreamsTest : public LogctlTest {
 protected:
  // More than a pipe and all buffers take.
  void AppendMuch() {
    const std::string line = R"({"type":"chat_response","message":")" + std::string(4000, 'x') + "\"}\n";
    std::string lines;
    for (int i = 0; i < 1000; ++i) lines += line;
    Append("much", lines);
  }

  // Through the shell, which can do with streams what the test cannot.
  Ran Shell(const std::string& redirected) {
    const std::string out = (folder_ / "shell.out").string(), err = (folder_ / "shell.err").string();
    const std::string command = std::string("{ '") + LogctlProgram() + "' --store '" + store() + "' " + redirected +
                                "; } >'" + out + "' 2>'" + err + "'";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), ReadFile("shell.out"), ReadFile("shell.err")};
  }
};

TEST_F(StreamsTest, AClosedPipeEndsTheOutputSilently) {
  AppendMuch();
  for (const Strings& command : {Strings{"cat", "much"},
                                 {"show", "much", "--full"},
                                 {"show", "much", "--json"},
                                 {"tail"},
                                 {"export", "much", "--format", "jsonl"},
                                 {"export", "--all", "--format", "jsonl"}}) {
    Strings words{"--store", store(), "--quiet"};
    words.insert(words.end(), command.begin(), command.end());
    Running running(words, (folder_ / "messages").string());
    EXPECT_NE(running.ReadLine(), "");
    running.CloseOutput();
    EXPECT_EQ(running.Wait(), 0) << command.front();
    EXPECT_EQ(ReadFile("messages"), "") << command.front();
  }
}

TEST_F(StreamsTest, AFullDiskIsAnError) {
  AppendMuch();
  EXPECT_THAT(Shell("cat much >/dev/full"), FailsWith(1, "No space left on device"));
  EXPECT_THAT(Shell("ls >/dev/full"), FailsWith(1, "No space left on device"));
}

TEST_F(StreamsTest, AClosedStandardOutputIsAnErrorAndNeverTheStore) {
  Append("c", kHello);
  EXPECT_THAT(Shell("cat c >&-"), FailsWith(1, "Bad file descriptor"));
  EXPECT_EQ(Shell("append c --json >&- <'" + WriteFile("hello.jsonl", kHello) + "'").exit_code, 1);
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
  EXPECT_THAT(Lines(Output({"cat", "c"})), SizeIs(2));
}

TEST_F(StreamsTest, AClosedStandardErrorDoesNoHarm) {
  Append("c", kHello);
  EXPECT_EQ(Shell("cat c 2>&-").exit_code, 0);
  EXPECT_EQ(Shell("cat nosuch 2>&-").exit_code, 1);
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

TEST_F(StreamsTest, AClosedStandardInputIsAnError) {
  EXPECT_THAT(Shell("append c <&-"), Fails(1));
  EXPECT_THAT(Shell("append c <."), Fails(1));
  EXPECT_THAT(Shell("import jsonl - <&-"), FailsWith(1, "Bad file descriptor"));
}

class TerminalTest : public LogctlTest {
 protected:
  std::string Shown(Strings words, Strings environment = {}) {
    environment.insert(environment.end(), {"TURNLOG_STORE=" + store(), "TERM=xterm", "PAGER=cat"});
    return ShowOnTerminal(words, environment);
  }
};

TEST_F(TerminalTest, ColoursAppearUnlessTheUserDoesNotWantThem) {
  AppendSample();
  const std::string coloured = "\x1b[32muser (Ann)\x1b[0m";
  EXPECT_THAT(Shown({"show", "sample"}), HasSubstr(coloured));
  EXPECT_THAT(Shown({"show", "sample"}, {"NO_COLOR=1"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(Shown({"show", "sample"}, {"NO_COLOR="}), HasSubstr(coloured));
  EXPECT_THAT(Shown({"show", "sample", "--color", "always"}, {"NO_COLOR=1"}), HasSubstr(coloured));
  EXPECT_THAT(Shown({"show", "sample", "--color", "never"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ShowOnTerminal({"show", "sample", "--store", store()}, {"TERM=dumb", "PAGER=cat"}),
              Not(HasSubstr("\x1b")));
}

TEST_F(TerminalTest, LongWorkShowsProgressThereAndNowhereElse) {
  AppendSample();
  EXPECT_THAT(Shown({"verify"}), HasSubstr("verifying ["));
  EXPECT_THAT(Shown({"verify", "--quiet"}), Not(HasSubstr("verifying [")));
  EXPECT_EQ(Logctl({"verify"}).err, "");
}

TEST_F(TerminalTest, JsonCannotSteerItAndMeansTheSame) {
  Append("c", R"({"type":"chat_request","content":"\u009b31m\u202e"})");
  EXPECT_THAT(Shown({"cat", "c"}), HasSubstr(R"("content":"\u009b31m\u202e")"));
  EXPECT_THAT(Shown({"show", "c", "--json"}), HasSubstr(R"("content":"\u009b31m\u202e")"));
  EXPECT_THAT(Shown({"tail"}), HasSubstr(R"("content":"\u009b31m\u202e")"));
  EXPECT_THAT(Output({"cat", "c"}), HasSubstr("\xc2\x9b"));
}

using ProcessesTest = LogctlTest;

TEST_F(ProcessesTest, ReadingWorksBesideAWriterAndSeesWhatItHasWritten) {
  AppendSample();
  const auto writer = Open(OpenMode::kWrite, "the test");
  ASSERT_TRUE(writer->Append(*ConversationId::Parse("sample"), *ParseEvent(kHello)));
  EXPECT_THAT(Lines(Output({"cat", "sample"})), SizeIs(kSampleEvents + 1));
  EXPECT_THAT(Output({"show", "sample", "--last-turns", "1"}), HasSubstr("hello"));
  EXPECT_EQ(Json({"ls"})["conversations"][0]["events"].Number(), kSampleEvents + 1);
  EXPECT_THAT(Lines(Output({"pending"})), SizeIs(2));
}

TEST_F(ProcessesTest, ASecondWriterGetsTheNameOfTheFirst) {
  AppendSample();
  const auto writer = Open(OpenMode::kWrite, "the test");
  const Ran append = Logctl({"append", "c"}, kHello);
  EXPECT_THAT(append, FailsWith(1, "(the test)"));
  EXPECT_THAT(Logctl({"import", "jsonl", WriteFile("a.jsonl", kHello)}), FailsWith(1, "(the test)"));
  ASSERT_TRUE(writer->Close());
  EXPECT_EQ(Logctl({"append", "c"}, kHello).exit_code, 0);
}

}  // namespace
}  // namespace turnlog::streams_test
