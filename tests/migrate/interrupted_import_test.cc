// Interrupted imports: what is in the log then, and how the next import continues.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "migrate/logged/import_record.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/small_import.h"
#include "tests/support/effort.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::interrupted_import_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class InterruptedImportTest : public ImportTest {
 protected:
  std::string Array(int events) const {
    std::string text = "[\n  {\"type\": \"turn_start\"}";
    for (int i = 0; i < events; ++i) {
      text += fmt::format(",\n  {{\"type\": \"chat_request\", \"content\": \"{} {}\"}}", i, Repeat("long ", 20));
    }
    return text + "\n]\n";
  }

  // A conversation that is longer than an append may be, between two short ones.
  std::string Lines() const {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      if (i % 20 == 0) text += "{\"conversation\":\"short\",\"type\":\"turn_start\"}\n";
      text +=
          fmt::format(R"({{"conversation":"long","type":"chat_request","content":"{} {}"}})", i, Repeat("word ", 30));
      text += "\n{\"conversation\":\"b\",\"type\":\"turn_start\"}\n";
    }
    return text;
  }

  // The contents of the log.
  std::vector<std::string> Content(Log& log) {
    std::vector<std::string> lines;
    const auto infos = log.List("", 1000);
    for (const ConversationInfo& info : infos.value()) {
      const auto cursor = log.ReadRaw(Id(info.id)).value();
      for (;;) {
        const Item item = cursor->Next().value();
        if (std::holds_alternative<EndOfLog>(item)) break;
        const auto& record = std::get<Record>(item);
        AppendJson(record.Decode().value(), record.conversation, record.seq, lines.emplace_back());
      }
    }
    return lines;
  }

  // Runs an importing process that is killed at its n-th operation that changes a file. Returns whether it was killed.
  static bool ImportAndDie(const std::filesystem::path& store, std::string format, const std::filesystem::path& source,
                           std::uint64_t n) {
    std::string program = TURNLOG_KILLED_IMPORTER, place = store.string(), from = source.string();
    std::string at = std::to_string(n);
    char* const arguments[] = {program.data(), place.data(), format.data(), from.data(), at.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ), 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    EXPECT_TRUE(killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
    return killed;
  }

  void ExpectTheSameAfterAnyKill(const std::string& format, const std::filesystem::path& source) {
    ASSERT_THAT(ImportSmall(*log_, format, source).problems, IsEmpty());
    const std::vector<std::string> expected = Content(*log_);
    std::uint64_t unfinished = 0;
    for (std::uint64_t n = 1;; n += SampleStep(1)) {
      SCOPED_TRACE(fmt::format("killed at operation {}", n));
      const TempDir dir;
      const bool killed = ImportAndDie(dir / "store", format, source, n);
      const auto log = OpenSegmentLog(dir / "store", SmallSegments());
      ASSERT_TRUE(log) << log.error().message;
      const std::size_t before = Content(**log).size();
      unfinished += before > 0 && before < expected.size();
      const ImportReport report = ImportSmall(**log, format, source);
      EXPECT_THAT(report.problems, IsEmpty());
      EXPECT_EQ(Content(**log), expected);
      EXPECT_EQ(ImportSmall(**log, format, source).events, 0);
      if (HasFailure() || !killed) break;
    }
    EXPECT_GT(unfinished, 0U) << "nothing was killed in the middle";
  }
};

TEST_F(InterruptedImportTest, OfAConversationOfJpIsAsIfItHadNotBeen) {
  WriteJp("17", Array(80));
  WriteJp("18", Array(1));
  ExpectTheSameAfterAnyKill("jp", dir_ / "jp");
}

TEST_F(InterruptedImportTest, OfJsonLinesIsAsIfItHadNotBeen) {
  ExpectTheSameAfterAnyKill("jsonl", Write("all.jsonl", Lines()));
}

// A part may end within a record, which has several events.
TEST_F(InterruptedImportTest, OfASessionOfPromptsIsAsIfItHadNotBeen) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += ClaudeUser(fmt::format("u{}", i), R"("Hi")") + "\n";
  ExpectTheSameAfterAnyKill("claude-code", Write(std::string(kClaudeSession) + ".jsonl", text));
}

// Several threads import the sources of a folder: whatever has been written then, a second import completes it.
TEST_F(InterruptedImportTest, OfAFolderIsCompletedByTheNext) {
  for (int i = 0; i < 4; ++i) WriteJp(fmt::format("{}", 17 + i), Array(3), "all/jp/conversations");
  Write("all/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl",
        R"({"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Hi"}})"
        "\n");
  Write("all/bad.jsonl", "{\"conversation\":\"21\",\"type\":\"turn_start\"}\n{\"conversation\":\"21\",\n");
  const std::filesystem::path all = dir_ / "all";
  ASSERT_EQ(Import(*log_, "auto", {&all, 1}, {.progress = {}, .threads = 4}).value().failed, 1U);
  const std::vector<std::string> expected = Content(*log_);
  for (std::uint64_t n = 1;; n += SampleStep(1)) {
    SCOPED_TRACE(fmt::format("killed at operation {}", n));
    const TempDir dir;
    const bool killed = ImportAndDie(dir / "store", "auto", all, n);
    const auto log = OpenSegmentLog(dir / "store", SmallSegments());
    ASSERT_TRUE(log) << log.error().message;
    const std::vector<ConversationInfo> infos = (*log)->List("", 100).value();
    for (const ConversationInfo& info : infos) {
      EXPECT_EQ(info.last.value, info.id.size() > 2 ? 3U : 5U) << info.id << " is whole or not at all";
    }
    const ImportReport report = Import(**log, "auto", {&all, 1}).value();
    EXPECT_EQ(report.failed, 1U);
    EXPECT_EQ(Content(**log), expected);
    EXPECT_EQ(Import(**log, "auto", {&all, 1}).value().events, 0);
    if (HasFailure() || !killed) break;
  }
}

// Until the import continues, the conversation may be sanitized and redacted.
TEST_F(InterruptedImportTest, ContinuesAfterEventsOfTheSanitizer) {
  WriteJp("17", Array(3));
  Jp();
  const std::vector<Event> whole = Events("17");
  TempStore other;
  std::swap(other.log, log_);
  Append("17", whole[0]);
  Append("17", whole[1]);
  Append("17", ParseEvent(R"({"type":"repair","profile":"x","head":2,"from":2,"to":2,"items":[{"drop":2,"rule":"r"}]})")
                   .value());
  const ImportReport report = Jp();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.events, 3);
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(6));
  EXPECT_EQ(events[2].kind(), EventKind::kRepair);
  EXPECT_EQ(std::vector(events.begin() + 3, events.end()), std::vector(whole.begin() + 2, whole.end()));
  EXPECT_EQ(Jp().unchanged, 1);
  std::swap(other.log, log_);
}

TEST_F(InterruptedImportTest, IsNotTakenAsCompleteForTheRepairsInIt) {
  WriteJp("17", Array(1));
  Jp();
  const std::vector<Event> whole = Events("17");
  TempStore other;
  std::swap(other.log, log_);
  Append("17", whole[0]);
  Append("17", whole[1]);
  Append("17", ParseEvent(R"({"type":"repair","profile":"x","head":2,"from":2,"to":2,"items":[{"drop":2,"rule":"r"}]})")
                   .value());
  EXPECT_EQ(Jp().events, 1);
  EXPECT_EQ(Jp().unchanged, 1);
  std::swap(other.log, log_);
}

TEST_F(InterruptedImportTest, ContinuesWithASourceThatHasGrown) {
  WriteJp("17", Array(3));
  Jp();
  const std::vector<Event> whole = Events("17");
  TempStore other;
  std::swap(other.log, log_);
  Append("17", whole[0]);
  Append("17", whole[1]);
  WriteJp("17", Array(5));
  EXPECT_EQ(Jp().events, 3 + 1 + 2);
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(8));
  EXPECT_EQ(ReadImportEvent(View(events[0]))->events, 4);
  EXPECT_EQ(ReadImportEvent(View(events[5]))->events, 2);
  EXPECT_EQ(Jp().unchanged, 1);
  std::swap(other.log, log_);
}

TEST_F(InterruptedImportTest, RefusesASourceThatHasLostWhatWasCounted) {
  WriteJp("17", Array(3));
  Jp();
  const std::vector<Event> whole = Events("17");
  TempStore other;
  std::swap(other.log, log_);
  Append("17", whole[0]);
  Append("17", whole[1]);
  WriteJp("17", Array(1));
  EXPECT_EQ(Jp().failed, 1);
  EXPECT_EQ(Last("17"), Seq{2});
  std::swap(other.log, log_);
}

// The log then has the union of what was seen.
TEST_F(InterruptedImportTest, ContinuesWithASourceThatHasLostItsBeginning) {
  const auto line = [](const std::string& id) { return ClaudeUser(id, "\"" + id + "\"") + "\n"; };
  const std::string session(kClaudeSession);
  const auto import = [&](const std::string& ids) {
    std::string text;
    for (const char id : ids) text += line(std::string(1, id));
    std::filesystem::rename(Write("new", text), dir_ / (session + ".jsonl"));
    return ImportSmall(*log_, "claude-code", dir_ / (session + ".jsonl"));
  };
  import("abcd");
  const std::vector<Event> whole = Events(session);
  for (const std::string_view after : {"cdefg", "cd", "e", "abc", "abxd", "ab"}) {
    SCOPED_TRACE(after);
    TempStore other;
    std::swap(other.log, log_);
    for (std::size_t i = 0; i < 1 + 2 * 2; ++i) Append(session, whole[i]);  // the record, a and b
    const ImportReport report = import(std::string(after));
    EXPECT_THAT(report.problems, IsEmpty());
    std::vector<std::string> said{"a", "b"};
    for (const char id : after) {
      if (id != 'a' && id != 'b') said.emplace_back(1, id);
    }
    EXPECT_EQ(Said(session), said);
    EXPECT_EQ(import(std::string(after)).events, 0U);
    EXPECT_THAT(import(std::string(after) + "hijk").problems, IsEmpty());
    for (const char id : std::string("hijk")) said.emplace_back(1, id);
    EXPECT_EQ(Said(session), said);
    EXPECT_EQ(import(std::string(after) + "hijk").events, 0U);
    std::swap(other.log, log_);
  }
}

// More conversations than fit into memory together, none of which ends before all have begun.
TEST_F(InterruptedImportTest, TakesInterleavedConversationsInSeveralReadings) {
  std::string text;
  for (int event = 0; event < 20; ++event) {
    for (int conversation = 0; conversation < 40; ++conversation) {
      text += fmt::format(R"({{"conversation":"c{}","type":"chat_request","content":"{} {}"}})", conversation, event,
                          Repeat("x", 50));
      text += "\n";
    }
  }
  const ImportReport report = ImportSmall(*log_, "jsonl", Write("all.jsonl", text));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, 40);
  EXPECT_EQ(report.events, 800);
  for (int conversation = 0; conversation < 40; ++conversation) {
    const std::vector<Event> events = Events(fmt::format("c{}", conversation));
    ASSERT_THAT(events, SizeIs(20));
    for (int event = 0; event < 20; ++event) {
      EXPECT_TRUE(std::get<ChatRequest>(events[static_cast<std::size_t>(event)].body)
                      .content.starts_with(std::to_string(event)));
    }
  }
}

}  // namespace
}  // namespace turnlog::interrupted_import_test
