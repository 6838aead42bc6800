// The process of `logctl redact` and of others that hold values: none stays in memory or in a core file, and killed
// anywhere it is finished by running it again.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <random>

#include "base/secret_string.h"
#include "http/client.h"
#include "tests/redact/command_fixture.h"
#include "tests/redact/process_memory.h"
#include "tests/redact/search.h"
#include "tests/store/child_process.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/segment_log.h"

namespace turnlog::command_process_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using RedactProcessTest = RedactCommandTest;

TEST_F(RedactProcessTest, NoCoreFileIsWrittenWhileItHoldsValues) {
  Append("talk", Chat("x"));
  const std::string limits = Shell(
      fmt::format("cd '{}' && mkfifo in && exec 3<>in && {{ '{}' --store store redact --values-stdin < in >out 2>&1 & "
                  "}} && p=$! && "
                  "until grep -q 'core file size *1 *1 ' /proc/$p/limits || ! kill -0 $p; do sleep 0.01; done; "
                  "grep 'core file size' /proc/$p/limits; kill -9 $p",
                  folder_.path().string(), LogctlProgram()));
  EXPECT_THAT(limits, ContainsRegex("core file size +1 +1 "));
}

// The two halves of a token, as an agent's history has it; the program goes on to follow the history, and so holds what
// it has not given back.
TEST_F(RedactProcessTest, AnImportThatRedactsLeavesNothingInMemory) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed";
  const std::string first = std::string("gh") + "p_Zr8Qw3Lk5Vn1Xc7J", second = "m2Tb9Hd4Fg6Ys0PaEuRi";
  std::string session;
  for (int i = 0; i < 3; ++i) {
    session += fmt::format(
        R"({{"type":"user","uuid":"c3d1a3a0-0000-4000-8000-00000000000{0}","parentUuid":null,"sessionId":"s",)"
        R"("timestamp":"2026-01-02T03:04:05.000Z","cwd":"/","version":"1.0.0",)"
        R"("message":{{"role":"user","content":"{0}: take {1}{2} and \"{1}{2}\""}}}})",
        i, first, second);
    session += '\n';
  }
  for (const auto& [format, file] : {std::pair("claude-code", WriteFile("s.jsonl", session)),
                                     std::pair("jsonl", WriteFile("c.jsonl", Chat("take " + first + second)))}) {
    Running import({"--store", store(), "import", format, file, "--follow", "--detect", "redact"});
    std::string line = import.ReadLine();
    while (!line.empty() && !line.contains("redacted (github-token")) line = import.ReadLine();
    ASSERT_FALSE(line.empty()) << format;
    EXPECT_EQ(CountInMemory(first, second, import.id()), 0U) << format;
    import.Signal(SIGINT);
    EXPECT_EQ(import.Wait(), 0);
  }
}

// The value never was in this process but for the redaction. Its parts are never next to each other.
TEST_F(RedactProcessTest, ARedactionThroughTheLibraryLeavesNoValueInMemory) {
  const std::string first = "Kq7v-in-", second = "Memory!9x";
  const std::string events =
      R"({"type":"chat_request","content":"a %s%s b"}\n)"
      R"({"type":"chat_request","content":"{\\"text\\":\\"a %s%s b )" +
      std::string(9'000, '.') +
      R"(\\"}"}\n)"
      R"({"type":"tool_call_request","id":"1","name":"t","arguments":{"a":"{\\"b\\":\\"\\\\n%s%s\\"}"}}\n)";
  Shell(fmt::format("printf '{}' '{}' '{}' '{}' '{}' '{}' '{}' | '{}' --store '{}' append talk", events, first, second,
                    first, second, first, second, LogctlProgram(), store()));
  {
    const auto log = Must(OpenSegmentLog(store()));
    SecretString value;
    value.Append(first);
    value.Append(second);
    ASSERT_GT(CountInMemory(first, second), 0U) << "the search finds nothing";
    const FreedMemoryWatch freed(first, second);
    std::string().append(first).append(second);
    ASSERT_EQ(FreedMemoryWatch::found(), 1U) << "the watch finds nothing";
    RedactionTargets targets;
    targets.values = {value.view()};
    const auto redaction = Must(Redaction::Plan(*log, targets));
    EXPECT_EQ(redaction->plan().events(), 3U);
    Must(redaction->Apply("tester"));
    EXPECT_TRUE(Must(redaction->Prove()).clean());
    EXPECT_EQ(FreedMemoryWatch::found(), 1U) << "memory was freed without being overwritten";
  }
  EXPECT_EQ(CountInMemory(first, second), 0U);
}

// One that is resolved when it is called first has all registers saved on the stack.
TEST_F(RedactProcessTest, TheProgramResolvesItsFunctionsWhenItStarts) {
  EXPECT_THAT(Shell(fmt::format("readelf --dynamic '{}'", LogctlProgram())), ContainsRegex("FLAGS_1.*NOW"));
}

// The service gets the value as base64, and reads the events that hold it.
TEST_F(RedactProcessTest, ARedactionInsideAServiceLeavesNoValueInItsMemory) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed";
  const std::string first = "Kq7v-in-", second = "Memory!9x";
  Append("talk", Chat("a " + first + second + " b"));
  Running service({"serve", "--store", store()});
  ASSERT_THAT(service.ReadLine(), HasSubstr("serving at"));
  const Ran ran = Logctl({"redact", "--values-stdin", "--value-file", WriteFile("other", "not-in-any-event")},
                         first + second + "\n");
  EXPECT_THAT(ran.out, HasSubstr("1 event in 1 conversation redacted"));
  for (const auto& [front, back] : {std::pair<std::string, std::string>(first, second),
                                    {"S3E3di1pbi1", "NZW1vcnkhOXg="},
                                    {"not-in-", "any-event"},
                                    {"bm90LWluLWF", "ueS1ldmVudA=="}}) {
    EXPECT_EQ(CountInMemory(front, back, service.id()), 0U) << front;
  }
}

// As JSON lines, as encoded events, and as an event stream that goes on.
TEST_F(RedactProcessTest, WhatClientsHaveReadIsNotLeftInTheMemoryOfAService) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed";
  const std::string first = "Kq7v-in-", second = "Memory!9x";
  Append("talk", Chat("before"));
  Running service({"serve", "--store", store()});
  ASSERT_THAT(service.ReadLine(), HasSubstr("serving at"));
  const std::string socket = store() + "/service.sock";
  const auto get = [&](const std::string& target) {
    const auto connection = Must(HttpConnection::Open({.path = socket, .host = {}}, std::chrono::seconds(60)));
    (void)Must(connection->Send({"GET", target, {}, {}}, std::chrono::seconds(60)));
    return Must(connection->ReadAll(std::size_t{1} << 24));
  };
  const auto stream = Must(HttpConnection::Open({.path = socket, .host = {}}, std::chrono::seconds(60)));
  (void)Must(stream->Send({"GET", "/v1/events?from=begin", {}, {}}, std::chrono::seconds(60)));
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += Chat(fmt::format("{} {}{} {}", i, first, second, std::string(500, 'x')));
  EXPECT_EQ(Logctl({"append", "talk"}, lines).exit_code, 0);
  std::string streamed;
  for (std::array<char, 65536> piece{}; !streamed.contains("199 " + first);) {
    streamed.append(piece.data(), Must(stream->Read(piece)));
  }
  EXPECT_THAT(get("/v1/conversations/talk/events"), HasSubstr(first + second));
  EXPECT_THAT(get("/v1/conversations/talk/events?view=raw&marks=true&order=backward"), HasSubstr(first + second));
  EXPECT_EQ(Logctl({"append", "talk"}, Chat(first + second + std::string(100'000, 'x'))).exit_code, 0);
  EXPECT_THAT(get("/v1/conversations/talk/events?cut=true&from=200"), HasSubstr(R"("cut":1)"));
  EXPECT_THAT(get("/v1/search?text=" + first), HasSubstr(second));
  EXPECT_THAT(get("/v1/overview"), HasSubstr("talk"));
  EXPECT_THAT(Logctl({"--store", "unix:" + socket, "cat", "talk"}).out, HasSubstr(first + second));
  const Ran ran = Logctl({"redact", "--values-stdin"}, first + second + "\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(CountInMemory(first, second, service.id()), 0U);
}

class RedactKillTest : public RedactCommandTest {
 protected:
  static constexpr int kConversations = 60;

  std::string ValueOf(int conversation) const { return fmt::format("{}-{:03}", value_, conversation * 7); }

  // Each conversation is the source of one value and contains that of the next.
  void LeakValues() {
    for (int i = 0; i < kConversations; ++i) {
      const std::string next = ValueOf((i + 1) % kConversations);
      Append(fmt::format("c{}", i),
             LeakedAnswer("q", ValueOf(i)) + Chat("echo " + next) + Chat(std::string(20'000, '.')));
    }
  }

  // True if it died on the way.
  bool KillAt(std::uint64_t log_operation) {
    ChildProcess victim({TURNLOG_KILLED_REDACTOR, store(), std::to_string(log_operation)});
    const int exit_code = victim.Finish();
    EXPECT_TRUE(exit_code == 0 || exit_code == 128) << exit_code;
    return exit_code == 128;
  }
};

TEST_F(RedactKillTest, KilledAheadOfAnyOperationItIsFinishedByRunningItAgain) {
  int killed = 0;
  LeakValues();
  const auto leaked = folder_ / "leaked";
  std::filesystem::rename(store(), leaked);
  for (std::uint64_t seed = 1; seed <= SampleSize(6, 200); ++seed) {
    SCOPED_TRACE(seed);
    std::filesystem::remove_all(store());
    std::filesystem::copy(leaked, store(), std::filesystem::copy_options::recursive);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2; ++i) killed += KillAt(1 + random() % (random() % 2 == 0 ? 20 : 400)) ? 1 : 0;
    const Ran ran = Redact({"--secrets"});
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(FilesWith(store(), value_), IsEmpty());
    EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
    EXPECT_THAT(Redact({"--secrets"}).out, StartsWith("nothing to redact\n"));
    if (HasFailure()) return;
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace turnlog::command_process_test
