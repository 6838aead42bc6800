// What another agent gets that goes on with a conversation.
#include "transcript/handoff.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "transcript/token_estimate.h"
#include "transcript/touched_files.h"
#include "turnlog/event_json.h"
#include "turnlog/segment_log.h"
#include "turnlog/transcript/transcript.h"

namespace turnlog::handoff_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HandoffTest : public ::testing::Test {
 protected:
  HandoffTest() : log_(Must(OpenSegmentLog(dir_ / "store"))) {}

  void Append(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      Must(log_->Append(id_, Must(ParseEvent(line)), {.durability = Durability::kBuffered}));
    }
  }

  std::string Handoff(std::uint64_t budget = 0) {
    std::string text;
    const auto sink = [&](std::size_t, std::string_view piece) { return text += piece, Status(); };
    report_ = Must(WriteTranscript(*log_, id_, TranscriptFormat::kHandoff, sink, {.budget = budget}));
    return text;
  }

  // From its heading to the next one.
  static std::string Section(const std::string& text, const std::string& title) {
    const std::size_t begin = text.find("## " + title + "\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find("\n## ", begin) - begin);
  }

  TempDir dir_;
  std::unique_ptr<Log> log_;
  const ConversationId id_ = Must(ConversationId::Parse("talk"));
  TranscriptReport report_;
};

constexpr const char* kTurn = R"({"type":"turn_start"})";

std::string Prompt(const std::string& text, const std::string& author = {}) {
  return R"({"type":"chat_request","content":")" + text + (author.empty() ? "\"}" : R"(","author":")" + author + "\"}");
}
std::string Call(const std::string& id, const std::string& tool, const std::string& arguments) {
  return R"({"type":"tool_call_request","id":")" + id + R"(","name":")" + tool + R"(","arguments":)" + arguments + "}";
}
std::string Result(const std::string& id, const std::string& more = {}) {
  return R"({"type":"tool_call_response","id":")" + id + R"(","content":"done","is_error":false)" + more + "}";
}
std::string Ask(const std::string& id, const std::string& text) {
  return R"({"type":"inquiry_request","id":")" + id +
         R"(","source":{"source":"tool","name":"bash"},"question":{"text":")" + text +
         R"(","answer_type":{"type":"boolean"}}})";
}

TEST_F(HandoffTest, HasRequestsDecisionsOpenCallsFilesAndTheLastTurns) {
  Append(
      {kTurn, Prompt("Build a boat"), Prompt("<system-reminder>", "harness"),
       Call("a", "Edit", R"({"file_path":"hull.c"})"), Result("a"), Call("b", "Edit", R"({"file_path":"hull.c"})"),
       Result("b"), Call("c", "Write", R"({"file_path":"/etc/passwd"})"),
       R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":{"reason":"not there"}})",
       Call("d", "bash", "{}"), Ask("d.ok.1", "Launch?"),
       R"({"type":"inquiry_response","outcome":"answered","id":"d.ok.1","answer":true,"responder":{"kind":"user","who":"ann"}})",
       Result("d"), R"({"type":"chat_response","message":"Afloat."})"});
  for (int turn = 2; turn <= 4; ++turn) Append({kTurn, Prompt(fmt::format("Row {}", turn))});
  Append({Call("e", "Read", R"({"path":"map"})"), Result("e"), Call("f", "bash", R"({"cmd":"row"})"),
          Ask("f.ok.1", "Go on?")});
  const std::string text = Handoff();
  EXPECT_THAT(Section(text, "Requests"), AllOf(HasSubstr("Turn 1: **User**\n\n```text\nBuild a boat\n```\n"),
                                               HasSubstr("Row 2"), Not(HasSubstr("system-reminder"))));
  EXPECT_THAT(Section(text, "Decisions"),
              AllOf(HasSubstr("[DENIED BY USER] Write (call c)"), HasSubstr("Reason: not there"),
                    HasSubstr("Launch?\nAnswer: true\nBy: user ann\n"), Not(HasSubstr("Go on?"))));
  EXPECT_THAT(Section(text, "Open"), AllOf(HasSubstr("**Tool bash**\n\n```json\n{\"cmd\":\"row\"}\n```\n\nNo result."),
                                           HasSubstr("Go on?\nPending\n")));
  EXPECT_EQ(Section(text, "Files touched"), "## Files touched\n\n- hull.c: Edit 2\n- map: Read 1\n")
      << "a denied call touches nothing";
  EXPECT_THAT(Section(text, "Last turns"), AllOf(Not(HasSubstr("Build")), HasSubstr("Row 2"), HasSubstr("Row 4")));
  EXPECT_EQ(report_.left_out, 0U);
}

TEST_F(HandoffTest, LeavesPresumedSecretsOutAndCountsThem) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append({kTurn, Prompt("use " + token), Call("a", "sh", R"({"path":")" + token + R"("})"), Result("a")});
  EXPECT_THAT(Handoff(), AllOf(Not(HasSubstr(token)), HasSubstr("Presumed secrets left out: 2.")));
  EXPECT_EQ(report_.secrets, 2U);
}

TEST_F(HandoffTest, FitsIntoTheBudgetAndKeepsTheNewest) {
  std::mt19937_64 random(7);
  for (int turn = 1; turn <= 60; ++turn) {
    const std::string id = std::to_string(turn);
    Append({kTurn, Prompt("Request " + id + std::string(random() % 3000, 'x')),
            Call(id, "Edit", R"({"path":"file)" + id + "\"}"), Result(id), Call("d" + id, "bash", "{}"),
            Result("d" + id, R"(,"denied":{"reason":"no )" + std::string(random() % 900, 'y') + "\"}")});
  }
  std::size_t before = 0;
  for (const std::uint64_t budget : {kSmallestHandoffBudget, std::uint64_t{2000}, std::uint64_t{9000}}) {
    const std::string text = Handoff(budget);
    EXPECT_LE(EstimateTokens(text), budget);
    EXPECT_LE(report_.tokens, budget);
    EXPECT_GT(report_.left_out, 0U);
    EXPECT_THAT(Section(text, "Requests"), AllOf(HasSubstr("Turn 60:"), Not(HasSubstr("Turn 1:"))));
    EXPECT_THAT(text, HasSubstr(fmt::format("the oldest of each section: {}.", report_.left_out)));
    EXPECT_GT(text.size(), before);
    before = text.size();
  }
  Handoff(1'000'000);
  EXPECT_EQ(report_.left_out + report_.shortened, 0U);
}

TEST(TouchedFiles, AreThoseThatArgumentsName) {
  EXPECT_THAT(TouchedFiles(R"({"file_path":"a.c","old_string":"path"})"), ElementsAre("a.c"));
  EXPECT_THAT(
      TouchedFiles(R"({"input":"*** Begin Patch\n*** Update File: b.c\n@@\n*** Move to: c.c\n+*** Add File: x\n"})"),
      ElementsAre("b.c", "c.c"));
  EXPECT_THAT(TouchedFiles(R"({"command":"rm a.c","path":7})"), IsEmpty());
  EXPECT_THAT(TouchedFiles("null"), IsEmpty());
}

TEST(EstimateTokens, IsAtMostTheSumOfTheLines) {
  EXPECT_EQ(EstimateTokens(""), 0U);
  EXPECT_EQ(EstimateTokens("The quick brown fox jumps over the lazy dog.\n"), 11U) << "o200k counts 11";
  std::mt19937_64 random(3);
  for (int run = 0; run < 500; ++run) {
    std::string one, other;
    for (std::string* text : {&one, &other}) {
      for (auto length = random() % 60; length > 0; --length) *text += "ab1  \n\t{}\xc3\xa9"[random() % 11];
      *text += '\n';
    }
    EXPECT_LE(EstimateTokens(one + other), EstimateTokens(one) + EstimateTokens(other));
  }
}

}  // namespace
}  // namespace turnlog::handoff_test
