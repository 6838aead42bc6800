// Sources that an earlier revision of a reader, or of turnlog, has imported: what the log has of them stays.
#include <gmock/gmock.h>

#include <chrono>

#include "migrate/logged/source_state.h"
#include "tests/migrate/import_again_fixture.h"

namespace turnlog::earlier_revision_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);
const std::string kSessionFile = kSession + ".jsonl";

using EarlierRevisionTest = ImportAgainFixture;

// As one that is a copy now. What the log has of it stays, wherever the file is and however often it is read.
TEST_F(EarlierRevisionTest, WhatAnotherRevisionTookForSomethingElseStays) {
  const std::string prompt = ClaudeUser("u", R"("Hi")") + "\n", reply = ClaudeAssistant("a", ClaudeCall("t")) + "\n";
  Import(Write("then/" + kSessionFile, prompt + ClaudeUser("v", R"("Hi")", R"(,"slug":"a")") + "\n" + reply));
  std::vector<Event> then = Events(kSession);
  for (Event& event : then) {
    if (event.source_text) event.source_text->replace(event.source_text->find(R"("uuid":")") + 8, 1, "u");
    if (event.event_id && event.event_id->starts_with('v')) event.event_id.reset();
  }
  then[5].source_text->replace(then[5].source_text->find(R"("uuid":")") + 8, 1, "a");
  TempStore other;
  std::swap(other.log, log_);
  for (const Event& event : then) Append(kSession, event);
  const std::string before = prompt + ClaudeUser("u", R"("Hi")", R"(,"slug":"a")") + "\n" + reply;
  ASSERT_EQ(Export(kSession, "claude-code"), before);
  const std::string more = ClaudeUser("u", R"("Hi")", R"(,"slug":"b")") + "\n" + ClaudeUser("w", R"("Go")") + "\n";
  const ImportReport report = Import(Write("now/" + kSessionFile, before + more));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.extended, 1U);
  EXPECT_THAT(Imported(kSession), SizeIs(5 + 3));
  EXPECT_EQ(Export(kSession, "claude-code"), before + more);
  ForgetSource(kSession);
  EXPECT_EQ(Import(Write("elsewhere/" + kSessionFile, before + more)).unchanged, 1U);
  std::swap(other.log, log_);
}

// What is told of its questions now would begin the record.
TEST_F(EarlierRevisionTest, WhatHadNoOutcomesThenStays) {
  const std::string asked = ClaudeUser("u", R"("Hi")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n" +
                            ClaudeUser("v", R"("go on")") + "\n";
  const std::string interrupted = ClaudeUser("i", R"("[Request interrupted by user]")") + "\n";
  Import(Write("then/" + kSessionFile, asked));
  Import(Write("then/" + kSessionFile, asked + ClaudeUser("i", R"("<tick>")") + "\n"));
  std::vector<Event> then = Events(kSession);
  std::get<ChatRequest>(then.back().body).content = "[Request interrupted by user]";
  TempStore other;
  std::swap(other.log, log_);
  for (const Event& event : then) Append(kSession, event);
  ASSERT_EQ(Export(kSession, "claude-code"), asked + interrupted);
  const std::string more = ClaudeUser("w", R"("Go")") + "\n";
  EXPECT_THAT(Import(Write("now/" + kSessionFile, asked + interrupted + more)).problems, IsEmpty());
  EXPECT_EQ(Export(kSession, "claude-code"), asked + interrupted + more);
  EXPECT_THAT(Imported(kSession), SizeIs(then.size() - 2 + 2));
  std::swap(other.log, log_);
}

// What an earlier version had read becomes no other events, whatever it would become now; what is new is read as now.
TEST_F(EarlierRevisionTest, WhatAnotherRevisionOfTheFormatRememberedIsNotTrusted) {
  const std::string first = ClaudeUser("1", R"("one")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n";
  const std::string more =
      ClaudeResult("r", "t", R"("x")", R"(,"toolUseResult":{"answers":{"Which \"one\"?":"a","Why?":"free text"}})") +
      "\n" + ClaudeUser("2", R"("two")") + "\n";
  const fs::path path = Write(kSessionFile, first);
  Import(path);
  const std::vector<std::string> before = Imported(kSession);
  KnownSource known = FindSourceState(*log_, Id(kSession)).value().value();
  known.state.revision += 1;
  known.state.file->reader = "of another version";
  Must(SaveSourceState(*log_, Id(kSession), known.head, known.state));
  AppendTo(path, more);
  const ImportReport report = Import(path);
  EXPECT_EQ(report.extended, 1U);
  EXPECT_GE(report.bytes_parsed, first.size() + more.size()) << "all of it";
  EXPECT_EQ(report.bytes.at(0).imported + report.bytes.at(0).kept_raw, report.bytes.at(0).size);
  std::vector<std::string> after = Imported(kSession);
  EXPECT_EQ(Export(kSession, "claude-code"), first + more);
  EXPECT_THAT(Must(log_->Pending(Id(kSession))), IsEmpty()) << "the answers found their questions";
  ForgetSource(kSession);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));  // or it need not be read at all
  EXPECT_EQ(Import(path).unchanged, 1U);
  // Even if the events would be others now.
  known = FindSourceState(*log_, Id(kSession)).value().value();
  known.state.revision += 1;
  Must(SaveSourceState(*log_, Id(kSession), known.head, known.state));
  EXPECT_EQ(std::vector(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(before.size())), before);
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  EXPECT_EQ(Import(path).extended, 1U);
  EXPECT_EQ(Imported(kSession).size(), after.size() + 2);
}

// An earlier revision of a reader may not have found it.
TEST_F(EarlierRevisionTest, AnEventWithoutATimeInTheLogMayHaveOneNow) {
  const auto import = [this](const std::string& fields) {
    const std::string text = R"({"object":"response",)" + fields +
                             R"("output":[{"type":"message","id":"m","role":"assistant",)"
                             R"("content":[{"type":"output_text","text":"Hi"}]}]})";
    return Import(Write("response.json", text), "openai");
  };
  EXPECT_EQ(import("").added, 1U);
  const ImportReport again = import(R"("created_at":1741476777,)");
  EXPECT_EQ(again.failed, 0U);
  EXPECT_EQ(again.extended, 1U);
}

// An upgrade does not make all sources be read again.
TEST(SourceStateTest, ThatWasKeptByTheVersionBeforeIsKnown) {
  const SourceState state{.format = "claude-code", .revision = 3, .record = Seq{7}};
  std::string bytes = EncodeSourceState(state);
  bytes.front() = 2;
  bytes.erase(bytes.size() - 2, 1);  // whether it was begun again
  const auto known = DecodeSourceState(bytes);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->format, state.format);
  EXPECT_EQ(known->record, state.record);
  EXPECT_EQ(known->lacking, 0U);
}

}  // namespace
}  // namespace turnlog::earlier_revision_test
