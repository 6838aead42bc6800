// Documents of Gemini CLI, which are written anew as their calls go on.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::gemini_documents_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kSession = "s";

class GeminiDocumentsTest : public ImportTest {
 protected:
  // Expects that all of it comes in.
  void Add(const std::vector<std::string>& messages) {
    text_ = fmt::format(R"({{"sessionId":"{}","startTime":"2025-09-01T10:00:00.000Z","messages":[{}]}})", kSession,
                        fmt::join(messages, ","));
    const std::vector<std::filesystem::path> paths{Write("session.json", text_)};
    EXPECT_THAT(Must(turnlog::Import(*log_, "gemini", paths)).problems, IsEmpty());
  }
  // The same, and that it can be written back.
  void Import(const std::vector<std::string>& messages) {
    Add(messages);
    EXPECT_EQ(ExportRawText("gemini", kSession), text_);
    Add(messages);
    EXPECT_EQ(ExportRawText("gemini", kSession), text_);
  }
  void Redact(const std::string& value) {
    RedactionTargets targets;
    targets.values = {value};
    Must(Must(Redaction::Plan(*log_, targets))->Apply("tester"));
  }
  std::vector<std::string> Results() {
    std::vector<std::string> results;
    for (const Event& event : Events(kSession)) {
      const auto* result = std::get_if<ToolCallResponse>(&event.body);
      if (result != nullptr) results.push_back(result->id + " " + result->content);
    }
    return results;
  }
  std::vector<Seq> Questions() {
    std::vector<Seq> seqs;
    for (const auto& pending : Must(log_->Pending(Id(kSession)))) seqs.push_back(pending.request);
    return seqs;
  }
  std::size_t Waiting() { return Must(log_->Pending(Id(kSession))).size(); }
  // The answers to approvals.
  std::vector<std::string> Answers() {
    std::vector<std::string> answers;
    for (const Event& event : Events(kSession)) {
      const auto* answer = std::get_if<InquiryResponse>(&event.body);
      if (answer != nullptr) answers.push_back(answer->id.text + " " + answer->answer.text());
    }
    return answers;
  }

  std::string text_;
};

std::string Calls(std::string_view first, std::string_view second) {
  return GeminiCalls("g1", fmt::format("{},{}", first, second));
}
std::string Waits(std::string_view id) { return GeminiToolCall(id, "write", "awaiting_approval", ""); }
std::string Runs(std::string_view id) { return GeminiToolCall(id, "write", "executing", ""); }
std::string Done(std::string_view id) { return GeminiToolCall(id, "write", "success", R"({"output":"ok"})"); }
std::string Refused(std::string_view id) {
  return GeminiToolCall(id, "write", "cancelled", R"({"error":"[Operation Cancelled] Reason: mine"})");
}

TEST_F(GeminiDocumentsTest, GoOnAfterApprovalsThatTheyNoLongerShow) {
  const std::string prompt = GeminiUser("u1", "Write it.");
  Import({prompt, Calls(Waits("a"), Waits("b"))});
  EXPECT_EQ(Waiting(), 2U);
  Import({prompt, Calls(Waits("a"), Runs("b"))});
  EXPECT_EQ(Waiting(), 1U);
  Import({prompt, Calls(Refused("a"), Done("b")), GeminiText("g2", "Done.")});
  EXPECT_EQ(Waiting(), 0U);
  EXPECT_THAT(Answers(), ElementsAre("b.approval.1 true", "a.approval.1 false"));
  Import({prompt, Calls(Refused("a"), Done("b")), GeminiText("g2", "Done."), GeminiUser("u2", "Thanks.")});
  EXPECT_THAT(Said(kSession), SizeIs(2));
}

TEST_F(GeminiDocumentsTest, AskNothingThatWasNotAskedWhenTheyWereImported) {
  Import({GeminiUser("u1", "Write it."), Calls(Done("a"), Done("b"))});
  EXPECT_THAT(Answers(), IsEmpty());
}

// The log has the results in the order in which they came: what was erased is the one that it does not have.
TEST_F(GeminiDocumentsTest, GoOnAfterAResultThatCameEarlyWasErased) {
  const std::string prompt = GeminiUser("u1", "Write it.");
  Add({prompt, Calls(Waits("a"), Done("b"))});
  Add({prompt, Calls(Done("a"), Done("b"))});
  ASSERT_THAT(Results(), ElementsAre("b ok", "a ok"));
  const std::vector<Event> events = Events(kSession);
  const auto is_result = [](const Event& event) { return event.kind() == EventKind::kToolCallResponse; };
  const Seq first{static_cast<std::uint64_t>(std::ranges::find_if(events, is_result) - events.begin()) + 1};
  Must(log_->Erase(Id(kSession), {&first, 1}));
  Add({prompt, Calls(Done("a"), Done("b")), GeminiUser("u2", "Thanks.")});
  EXPECT_THAT(Results(), ElementsAre("a ok"));
  EXPECT_THAT(Said(kSession), SizeIs(2));
}

// Neither the document nor the log shows the questions any more.
TEST_F(GeminiDocumentsTest, GoOnWhenAllQuestionsWereErased) {
  const std::string prompt = GeminiUser("u1", "Write it.");
  Add({prompt, Calls(Waits("a"), Waits("b"))});
  SanitizeOptions like_jp;
  like_jp.profile = RepairProfile::kJp082;
  Must(Sanitize(*log_, Id(kSession), like_jp));
  EXPECT_EQ(Must(Scavenge(*log_, Id(kSession))).events.size(), 2U);
  Add({prompt, Calls(Runs("a"), Runs("b"))});
  Add({prompt, Calls(Done("a"), Runs("b"))});
  Add({prompt, Calls(Done("a"), Done("b")), GeminiUser("u2", "Thanks.")});
  EXPECT_THAT(Results(), ElementsAre("a ok", "b ok"));
  EXPECT_THAT(Said(kSession), SizeIs(2));
}

// A tool may drop the beginning of a document. What is left of it is recognised by its ids.
TEST_F(GeminiDocumentsTest, DoNotBringBackWhatWasRedactedWhenTheyLoseTheirBeginning) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  const std::string asked = GeminiUser("u1", "use " + value);
  const auto call = [&](std::string_view status, std::string_view response) {
    return GeminiCalls("g1", GeminiToolCall("c", "login", status, response, R"({"key":")" + value + "\"}"));
  };
  Add({GeminiUser("u0", "old"), asked, call("executing", "")});
  Redact(value);
  Add({asked, call("success", R"({"output":"done"})"), GeminiUser("u2", "again with " + value)});
  EXPECT_FALSE(IsStored(value));
  EXPECT_THAT(Said(kSession), ElementsAre("old", "use [redacted]", "again with [redacted]"));
  EXPECT_THAT(Results(), ElementsAre("c done"));
}

// The first message that is left begins a turn, which it did not when it came in.
TEST_F(GeminiDocumentsTest, RecogniseAMessageThatHasChangedBeforeTheyLostTheirBeginning) {
  Add({GeminiUser("u0", "old"), GeminiCalls("g1", Runs("a"))});
  Add({GeminiUser("u0", "old"), GeminiCalls("g1", Done("a"))});
  Add({GeminiCalls("g1", Done("a")), GeminiUser("u1", "Thanks.")});
  EXPECT_THAT(Said(kSession), ElementsAre("old", "Thanks."));
  EXPECT_THAT(Results(), ElementsAre("a ok"));
}

// The log has the results of a message in the order in which they came.
TEST_F(GeminiDocumentsTest, LoseTheirBeginningAfterResultsCameInAnotherOrder) {
  Add({GeminiUser("u0", "old"), GeminiUser("u1", "Write."), Calls(Runs("a"), Done("b"))});
  Add({GeminiUser("u0", "old"), GeminiUser("u1", "Write."), Calls(Done("a"), Done("b"))});
  EXPECT_THAT(Results(), ElementsAre("b ok", "a ok"));
  const std::string counted = Calls(Done("a"), Done("b")).insert(1, R"("tokens":{"input":5,"output":6,"total":11},)");
  Add({GeminiUser("u1", "Write."), counted, GeminiUser("u2", "Thanks.")});
  EXPECT_THAT(Said(kSession), ElementsAre("old", "Write.", "Thanks."));
  EXPECT_THAT(Results(), ElementsAre("b ok", "a ok"));
}

TEST_F(GeminiDocumentsTest, WaitForAnAnswerThatHasNothingYet) {
  const std::string question = GeminiUser("u", "List the files.");
  Import({question, GeminiMessage("m", "gemini", R"("content":"","thoughts":[],"tokens":null)")});
  Import({question, GeminiCalls("m", GeminiToolCall("c1", "ls", "success", R"({"output":"a"})"))});
  EXPECT_THAT(Results(), ElementsAre("c1 a"));
}

// Also what no event has as it is spelled, after an event that is still the same.
TEST_F(GeminiDocumentsTest, AreRefusedIfAMessageSaysSomethingElse) {
  const auto document = [](std::string_view text) {
    const std::string fields = fmt::format(
        R"("content":[{{"text":"one"}},{{"text":"{}"}}],"thoughts":[{{"subject":"Plan","description":"Two."}}])", text);
    return std::vector{GeminiUser("u1", "Count."), GeminiMessage("g1", "gemini", fields)};
  };
  Import(document("two"));
  const std::string before = ExportToJsonl(All());
  const std::vector<std::filesystem::path> paths{Write(
      "session.json", fmt::format(R"({{"sessionId":"{}","startTime":"2025-09-01T10:00:00.000Z","messages":[{}]}})",
                                  kSession, fmt::join(document("three"), ",")))};
  EXPECT_THAT(Must(turnlog::Import(*log_, "gemini", paths)).problems,
              ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kChanged)));
  EXPECT_EQ(ExportToJsonl(All()), before);
}

TEST_F(GeminiDocumentsTest, GoOnAfterAMessageWithoutAnId) {
  const std::string unnamed = R"({"type":"gemini","timestamp":"2025-09-01T10:00:00.000Z","content":"no id"})";
  Add({GeminiUser("u0", "old"), GeminiUser("u1", "Write it."), GeminiCalls("g1", Runs("a")), unnamed});
  Add({GeminiUser("u1", "Write it."), GeminiCalls("g1", Done("a")), unnamed});
  Add({GeminiUser("u1", "Write it."), GeminiCalls("g1", Done("a")), unnamed, GeminiUser("u2", "Thanks.")});
  EXPECT_THAT(Said(kSession), ElementsAre("old", "Write it.", "Thanks."));
  EXPECT_THAT(Results(), ElementsAre("a ok"));
}

}  // namespace
}  // namespace turnlog::gemini_documents_test
