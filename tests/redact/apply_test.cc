// Applying a redaction with concurrent appends, with interruptions, and with repairs and damage.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "schema/event/import_event.h"
#include "tests/redact/redact_fixture.h"
#include "turnlog/maintenance.h"
#include "turnlog/open_log.h"

namespace turnlog::apply_test {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// --- Beside others ---

TEST_F(RedactTest, ReadersSeeTheOldEventOrTheNewOne) {
  Must(Append("c", {Say("1 " + value_), Say("2 " + value_)}));
  const auto reader = Must(OpenLog(path(), {.mode = OpenMode::kRead}));
  const auto cursor = Must(log_->ReadRaw(Id("c")));
  const auto tail = Must(log_->Follow({}));
  const auto other_tail = Must(reader->Follow({}));
  EXPECT_EQ(Line(Must(cursor->Next())), "1 0 1 " + value_);
  EXPECT_EQ(Line(Must(tail->Next())), "1 0 1 " + value_);
  EXPECT_TRUE(Redact(Given({value_})).clean());
  // Their read-ahead contains the old event.
  EXPECT_THAT(Line(Must(cursor->Next())), AnyOf("2 0 2 [redacted]", "2 0 2 " + value_));
  EXPECT_THAT(Line(Must(tail->Next())), AnyOf("2 0 2 [redacted]", "2 0 2 " + value_));
  EXPECT_EQ(Line(Must(tail->Next())), "3 0 redaction");
  EXPECT_EQ(Line(Must(other_tail->Next())), "1 0 1 [redacted]");
  EXPECT_THAT(Lines(*reader, "c")[0], HasSubstr("1 [redacted]"));
  Must(reader->Refresh());
  EXPECT_THAT(Lines(*reader, "c"), ElementsAre("1 0 1 [redacted]", "2 0 2 [redacted]", "3 0 redaction"));
}

TEST_F(RedactTest, WhatIsAppendedMeanwhileIsLookedAt) {
  Must(Append("c", Say(value_)));
  int appended = 0;
  WatchedLog busy(*log_, [&]() -> Status {
    if (++appended < 4) Must(Append("c", Say(fmt::format("{} {}", appended, appended == 2 ? value_ : "x"))));
    return {};
  });
  EXPECT_TRUE(Redact(busy, Given({value_})).clean());
  EXPECT_THAT(Lines(*log_, "c"),
              ElementsAre("1 0 [redacted]", "2 0 1 x", "3 0 2 [redacted]", "4 0 3 x", "5 0 redaction"));
}

TEST_F(RedactTest, AWriterThatNeverStopsAppendingIsAConflict) {
  Must(Append("c", Say(value_)));
  WatchedLog busy(*log_, [&]() -> Status { return Must(Append("c", Say("x"))), Status(); });
  const auto redaction = Must(Redaction::Plan(busy, Given({value_})));
  EXPECT_EQ(CodeOf(redaction->Apply("tester")), "conflict");
}

// --- Interrupted ---

// Two answers that each contain the other's value, and occurrences on both sides.
void LeakEachOther(Log& log, const std::string& one, const std::string& other) {
  std::vector<Event> a = LeakedAnswer("q", one), b = LeakedAnswer("q", other);
  a[1].metadata = Must(ParseJson(fmt::format(R"({{"note":"{}"}})", other)));
  b[1].metadata = Must(ParseJson(fmt::format(R"({{"note":"{}"}})", one)));
  Must(log.Append(Id("a"), a));
  Must(log.Append(Id("b"), b));
  for (const char* name : {"0", "a", "b", "c"}) Must(log.Append(Id(name), Say(fmt::format("{} {}", one, other))));
}

TEST_F(RedactTest, InterruptedBeforeAnyStepItFinishesTheNextTime) {
  const int stops = StopBeforeEachStep([&](Log& log) { LeakEachOther(log, value_, other_); }, {value_, other_});
  EXPECT_GE(stops, 6) << "the test does not stop it where it matters";
}

// One value is a part of the other: redacting it first would hide the other.
TEST_F(RedactTest, InterruptedItAlsoFinishesWithValuesWithinValues) {
  const auto fill = [&](Log& log) { LeakEachOther(log, value_, "outer-" + value_ + "-outer"); };
  EXPECT_GE(StopBeforeEachStep(fill, {value_, "outer-"}), 6) << "the test does not stop it where it matters";
}

TEST_F(RedactTest, WhatIsTooLargeForOneStepIsDoneInSeveral) {
  const std::string filler(std::size_t{9} << 20, '.');
  std::vector<Event> answer = LeakedAnswer("q", value_);
  Must(Append("c", answer));
  for (int i = 0; i < 5; ++i) Must(Append("c", Say(value_ + filler)));
  const RedactionProof proof = Redact(Secrets());
  EXPECT_TRUE(proof.clean());
  ASSERT_THAT(proof.conversations, SizeIs(1));
  EXPECT_THAT(proof.conversations[0].redactions, SizeIs(3)) << "two with echoes, then the answer";
  EXPECT_THAT(SeqsOf(proof.conversations[0]), ElementsAre(2, 4, 5, 6, 7, 8));
}

// --- Repairs ---

TEST_F(RedactTest, RepairsStayInEffect) {
  AppendStory("T CR Q:c1 T CR M T CR M");
  Must(Append("c", Say(value_)));
  Run();
  Must(Append(
      "c", FromJson(fmt::format(
               R"({{"type":"repair","profile":"by-hand","head":8,"from":2,"to":4,"items":[{{"insert_after":3,"cause":3,
      "rule":"note","event":{{"type":"chat_response","message":"{}"}}}},{{"drop":4,"rule":"x"}}]}})",
               value_))));
  const auto in_force = ActiveNow(*log_, "c");
  const std::size_t shown = ShownEvents(*log_, "c").size();
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_EQ(ActiveNow(*log_, "c"), in_force);
  EXPECT_EQ(ShownEvents(*log_, "c").size(), shown + 1) << "and the redaction";
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

TEST_F(RedactTest, ARedactedConversationIsSanitizedAsBefore) {
  AppendStory("T CR Q:c1 T CR M T CR M");
  Must(Append("c", Say(value_)));
  Redact(Given({value_}));
  EXPECT_THAT(Run().repairs, SizeIs(1));
  EXPECT_THAT(Run().repairs, IsEmpty());
}

// --- Damage ---

TEST_F(RedactTest, WhatIsDamagedIsReportedAndTheRestIsRedacted) {
  Must(Append("c", {Say("1 " + value_), Say("mangle-me"), Say("3 " + value_)}));
  Close();
  const auto segment = path() / "log" / "0000000000000000.seg";
  std::string bytes = AllFiles(path() / "log")[0].second;
  bytes[bytes.find("mangle-me")] = 'M';
  std::ofstream(segment, std::ios::binary) << bytes;
  Open(OpenMode::kWrite);
  const auto redaction = Must(Redaction::Plan(*log_, Given({value_})));
  ASSERT_THAT(redaction->plan().damage, SizeIs(1));
  EXPECT_EQ(redaction->plan().damage[0].seq, 2U);
  Must(redaction->Apply("tester"));
  const RedactionProof proof = Must(redaction->Prove());
  EXPECT_FALSE(proof.clean());
  EXPECT_THAT(proof.problems, ElementsAre(HasSubstr("seq 2")));
  EXPECT_EQ(proof.left_count, 0U);
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
}

TEST_F(RedactTest, AnErasedEventHasNothingToRedact) {
  Must(Append("c", {Say(value_), Say(value_)}));
  Must(log_->Erase(Id("c"), std::vector{Seq{1}}));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(SeqsOf(proof.conversations[0]), ElementsAre(2));
}

TEST_F(RedactTest, AnErrorNeverQuotesAValue) {
  const std::string name = "about " + value_;
  Must(Append(name, Say(value_)));
  WatchedLog failing(*log_, [&]() -> Status { return std::unexpected(Error{ErrorCode::kIo, "cannot: " + name}); });
  const auto redaction = Must(Redaction::Plan(failing, Given({value_})));
  EXPECT_EQ(MessageOf(redaction->Apply("tester")), "cannot: about [redacted]");
}

// Notes the order of what makes an import forget, and of what overwrites.
class ForgettingLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override {
    steps.emplace_back("redact");
    return ForwardingLog::Redact(conversation, replacements, redaction, options);
  }
  Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                      const Watermark& watermark) override {
    steps.push_back("forget " + std::string(conversation.text()));
    return ForwardingLog::SetWatermark(consumer, conversation, watermark);
  }
  Status Checkpoint() override {
    steps.emplace_back("checkpoint");
    return ForwardingLog::Checkpoint();
  }

  std::vector<std::string> steps;
};

TEST_F(RedactTest, TheKeyOfImportsIsGoneDurablyBeforeAnythingIsOverwritten) {
  for (const char* name : {"a", "b"}) Must(log_->Append(Id(name), Say(value_)));
  for (const std::string_view name : {std::string_view("a"), kImportKey}) {
    Must(log_->SetWatermark(kImportConsumer, Id(name), {.head = {}, .state = "hash"}));
  }
  ForgettingLog log(*log_);
  EXPECT_TRUE(Redact(log, Given({value_})).clean());
  ASSERT_GT(log.steps.size(), 4U);
  const auto checkpoint = std::ranges::find(log.steps, "checkpoint");
  EXPECT_LT(std::ranges::find(log.steps, "forget " + std::string(kImportKey)), checkpoint);
  EXPECT_LT(checkpoint, std::ranges::find(log.steps, "redact"));
}

}  // namespace
}  // namespace turnlog::apply_test
