// Copying into another store of each engine.
#include "tests/log_conformance/conformance.h"
#include "tests/store/answers.h"
#include "tests/support/destroying.h"
#include "turnlog/copy_log.h"

namespace turnlog::copy_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class CopyTest : public Destroying<ConformanceTest> {
 protected:
  CopyTest() : folder_(), copy_(Must(OpenSegmentLog(folder_ / "copy"))) {}

  void Fill() {
    std::vector<Event> events{NewTurn(), Ask(Opaque("i")), Answer(Opaque("i")), Ask(Opaque("open"))};
    for (int i = 0; i < 600; ++i) events.push_back(Named(std::to_string(i), Say(std::to_string(i))));
    Must(Append("a", events));
    Must(Append("b", {Say("1"), Say(std::string(3 << 20, 'x')), NewTurn(), Repaired(1, 2)}));
  }
  // The seqs that the log knows as redacted.
  static std::vector<std::uint64_t> Redacted(Log& log, std::string_view conversation) {
    std::vector<std::uint64_t> seqs;
    for (const auto cursor = Must(log.ReadRaw(Id(conversation)));;) {
      const Item item = Must(cursor->Next());
      if (std::holds_alternative<EndOfLog>(item)) return seqs;
      const auto* record = std::get_if<Record>(&item);
      if (record != nullptr && record->redacted) seqs.push_back(record->seq.value);
    }
  }
  static std::vector<std::string> Rows(Log& log) {
    std::vector<std::string> rows;
    for (const ConversationInfo& info : Must(log.List("", 100))) {
      for (const std::string& line : Lines(log, info.id)) rows.push_back(info.id + " " + line);
    }
    return rows;
  }

  const TempDir folder_;
  std::unique_ptr<Log> copy_;  // in a folder
};

TURNLOG_FOR_ALL_ENGINES(CopyTest);

TEST_P(CopyTest, IsEqualInBothDirections) {
  Fill();
  const CopyReport report = Must(CopyLog(*log_, *copy_));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.conversations, 2U);
  EXPECT_EQ(report.events, 608U);
  EXPECT_EQ(report.copied_events, 608U);
  EXPECT_EQ(Rows(*copy_), Rows(*log_));
  EXPECT_EQ(PendingLines(*copy_), PendingLines(*log_));
  EXPECT_EQ(RepairLines(*copy_, "b"), RepairLines(*log_, "b"));
  EXPECT_EQ(Must(copy_->Info(Id("a"))).bytes, Must(log_->Info(Id("a"))).bytes);

  const auto elsewhere = GetParam().make(0);
  const auto back = Must(elsewhere->Open(OpenMode::kCreate));
  EXPECT_THAT(Must(CopyLog(*copy_, *back)).problems, IsEmpty());
  EXPECT_EQ(Rows(*back), Rows(*log_));
}

TEST_P(CopyTest, GoesOnWhereItStopped) {
  Fill();
  Must(copy_->Append(Id("a"), std::vector<Event>{NewTurn(), Ask(Opaque("i"))}));
  EXPECT_EQ(Must(CopyLog(*log_, *copy_)).copied_events, 606U);
  EXPECT_EQ(Must(CopyLog(*log_, *copy_)).copied_events, 0U);
  Must(Append("a", Say("more")));
  EXPECT_EQ(Must(CopyLog(*log_, *copy_)).copied_events, 1U);
  EXPECT_EQ(Rows(*copy_), Rows(*log_));
}

TEST_P(CopyTest, LeavesAConversationWithOtherEventsAlone) {
  Must(Append("a", {Say("1"), Say("2")}));
  Must(Append("b", Say("1")));
  Must(Append("c", Say("1")));
  Must(copy_->Append(Id("a"), Say("other")));
  Must(copy_->Append(Id("b"), std::vector<Event>{Say("1"), Say("more")}));
  const CopyReport report = Must(CopyLog(*log_, *copy_));
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_EQ(report.problems[0].conversation, "a");
  EXPECT_EQ(report.problems[0].seq, 1U);
  EXPECT_EQ(report.problems[1].conversation, "b");
  EXPECT_EQ(report.conversations, 1U);
  EXPECT_THAT(Lines(*copy_, "a"), ElementsAre("1 0 other"));
  EXPECT_THAT(Lines(*copy_, "c"), ElementsAre("1 0 1"));
}

TEST_P(CopyTest, ErasedEventsStayErasedAndRedactedOnesRedacted) {
  Must(Append("a", {NewTurn(), Say(kPlanted), Say(kPlanted), Say("stays")}));
  Must(Append("b", Ask(Opaque("i"))));
  Must(Append("c", {NewTurn(), Answer(Opaque("orphan")), Ask(Opaque("open"))}));
  Must(Append("d", {NewTurn(), Ask(Opaque("i")), Answer(Opaque("i"))}));
  Must(Erase("a", {1, 2}));
  Must(Redact("a", {{3, Say("[redacted]")}}));
  Must(Erase("b", {1}));
  Must(Erase("c", {2}));
  Must(Erase("d", {3}));
  const CopyReport report = Must(CopyLog(*log_, *copy_));
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_EQ(report.problems[0].conversation, "b");
  EXPECT_EQ(report.problems[0].seq, 1U) << "the erased question";
  EXPECT_EQ(report.problems[1].conversation, "d") << "its question is open again";
  EXPECT_THAT(Lines(*copy_, "c"), ElementsAre("1 1 turn", "2 1 erased inquiry_response", "3 1 ask open"));
  EXPECT_THAT(Lines(*copy_, "a"), ElementsAre("1 1 erased turn_start", "2 1 erased chat_request", "3 1 [redacted]",
                                              "4 1 stays", "5 1 redaction"));
  EXPECT_THAT(Redacted(*copy_, "a"), ElementsAre(3));
}

// A copy appends a placeholder for an erased event, and then erases it: here it was interrupted in between.
TEST_P(CopyTest, AnInterruptedCopyErasesWhatItHasNotErased) {
  const Event config{.body = Verbatim{.kind = EventKind::kConfigDelta,
                                      .tag = "config_delta",
                                      .json = Json::FromTrusted(R"({"type":"config_delta"})")}};
  const Event chat{.body = ChatRequest{}};
  Must(Append("a", {NewTurn(), Say("hush"), config, Say("4")}));
  Must(Erase("a", {1, 2, 3}));
  Must(copy_->Append(Id("a"), std::vector<Event>{Event{.body = TurnStart{}}, chat, config}));
  EXPECT_THAT(Must(CopyLog(*log_, *copy_)).problems, IsEmpty());
  EXPECT_EQ(Rows(*copy_), Rows(*log_));
  // Nothing else is erased, nor in a conversation that differs elsewhere.
  Must(Append("b", {Say("1"), Say("2")}));
  Must(Append("c", {Say("1"), Say("2")}));
  Must(Erase("b", {1}));
  Must(Erase("c", {1}));
  Must(copy_->Append(Id("b"), Say("other")));
  Must(copy_->Append(Id("c"), std::vector<Event>{chat, Say("other")}));
  EXPECT_THAT(Must(CopyLog(*log_, *copy_)).problems, SizeIs(2));
  EXPECT_EQ(Lines(*copy_, "b").front(), "1 0 other");
  EXPECT_EQ(Lines(*copy_, "c").front(), "1 0 ");
}

TEST_P(CopyTest, AnInterruptedCopyKnowsTheRestOfARedactionToo) {
  Must(Append("a", {NewTurn(), Say(kPlanted), Say(kPlanted), Say("stays")}));
  Must(Redact("a", {{2, Say("[redacted]")}, {3, Say("[redacted]")}}));
  Must(Append("a", Say(kPlanted)));
  Must(Redact("a", {{3, Say("[redacted twice]")}, {6, Say("[redacted]")}}));
  Must(copy_->Append(Id("a"), std::vector<Event>{NewTurn(), Say("[redacted]"), Say("[redacted twice]")}));
  const CopyReport report = Must(CopyLog(*log_, *copy_));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.copied_events, 4U);
  EXPECT_EQ(Rows(*copy_), Rows(*log_));
  EXPECT_THAT(Redacted(*copy_, "a"), ElementsAre(2, 3, 6));
}

TEST_P(CopyTest, ACopyThatDoesNotKnowARedactionIsAProblem) {
  Must(Append("a", Say(kPlanted)));
  Must(Redact("a", {{1, Say("[redacted]")}}));
  Must(copy_->Append(Id("a"), std::vector<Event>{Say("[redacted]"), RedactionEvent()}));
  const CopyReport report = Must(CopyLog(*log_, *copy_));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].seq, 1U);
}

}  // namespace
}  // namespace turnlog::copy_test
