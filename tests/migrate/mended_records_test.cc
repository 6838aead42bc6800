// Records of which `logctl doctor` has made others since they were imported, and records that are others.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"

namespace turnlog::mended_records_test {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;

const std::string kSession(kClaudeSession);

std::string Line(std::string_view record) { return std::string(record) + "\n"; }

class MendedRecordsTest : public ImportTest {
 protected:
  // How many conversations were refused of a file that says `after`, and before said `before`; new events are counted.
  std::uint64_t Refused(const std::string& name, std::string_view before, std::string_view after) {
    TempStore store;
    log_.swap(store.log);
    Auto({Write(name, before)});
    Settle();
    const ImportReport report = Auto({Write(name, after)});
    added_ = report.events;
    log_.swap(store.log);
    return report.failed;
  }
  std::uint64_t RefusedClaude(std::string_view before, std::string_view after) {
    const std::string first = Line(ClaudeUser("a", R"("a")")), last = Line(ClaudeUser("z", R"("z")"));
    return Refused(kSession + ".jsonl", first + Line(before) + last, first + Line(after) + last);
  }
  std::uint64_t RefusedCodex(std::string_view before, std::string_view after) {
    const std::string first = Line(CodexMeta(kCodexThread)) + Line(CodexUser("a")), last = Line(CodexUser("z"));
    return Refused(kCodexFile, first + Line(before) + last, first + Line(after) + last);
  }
  // Of a list of OpenAI's messages.
  std::uint64_t RefusedChat(std::string_view before, std::string_view after) {
    return Refused("talk.json", fmt::format("[{}]", before), fmt::format("[{}]", after));
  }

  std::uint64_t added_ = 0;
};

TEST_F(MendedRecordsTest, MayHaveTheNameOfACallThatWasTaken) {
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", ClaudeCall("c")), ClaudeAssistant("b", ClaudeCall("c_2"))), 0U);
  EXPECT_EQ(RefusedClaude(ClaudeResult("b", "c", R"("x")"), ClaudeResult("b", "c_2", R"("x")")), 0U);
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", ClaudeCall("c")), ClaudeAssistant("b", ClaudeCall("d"))), 1U);
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", ClaudeCall("c")), ClaudeAssistant("b", ClaudeCall("c_x"))), 1U);
  EXPECT_EQ(RefusedClaude(ClaudeResult("b", "c", R"("x")"), ClaudeResult("b", "c_2", R"("y")")), 1U);
}

TEST_F(MendedRecordsTest, MayLackThinkingAndEmptyTexts) {
  const auto text = [](std::string_view said) { return fmt::format(R"({{"type":"text","text":"{}"}})", said); };
  const std::string thinking = R"({"type":"thinking","thinking":"Hm.","signature":"x"},)";
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", thinking + text("B")), ClaudeAssistant("b", text("B"))), 0U);
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", text("") + "," + text("B")), ClaudeAssistant("b", text("B"))), 0U);
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", text("A") + "," + text("B")), ClaudeAssistant("b", text("B"))), 1U);
  EXPECT_EQ(RefusedClaude(ClaudeAssistant("b", thinking + text("B")), ClaudeAssistant("b", text("C"))), 1U);
}

TEST_F(MendedRecordsTest, MayHaveATextInPlaceOfAResult) {
  const auto kept = [](std::string_view text) {
    return ClaudeUser("b", fmt::format(R"([{{"type":"text","text":"{}"}}])", text));
  };
  const std::string result = ClaudeResult("b", "c", R"("x")");
  EXPECT_EQ(RefusedClaude(result, kept("[Result of a tool call that is not in this session] x")), 0U);
  EXPECT_EQ(RefusedClaude(result, kept("[Result of a tool call that is not in this session] y")), 1U);
  EXPECT_EQ(RefusedClaude(result, kept("x")), 1U);
}

TEST_F(MendedRecordsTest, MayLackASecretOrAnImage) {
  const auto said = [](std::string_view text) { return ClaudeUser("b", fmt::format("\"{}\"", text)); };
  EXPECT_EQ(RefusedClaude(said("use s3cret now"), said("use [redacted] now")), 0U);
  EXPECT_EQ(RefusedClaude(said("use s3cret now"), said("use [redacted] then")), 1U);
  EXPECT_EQ(RefusedClaude(said("use s3cret now"), said("[redacted] the now")), 1U);
  EXPECT_EQ(RefusedClaude(said("a [image]"), said("a [An image was here that the provider refuses: image-bytes]")), 0U);
  EXPECT_EQ(RefusedClaude(said("a [image]"), said("b [An image was here that the provider refuses: image-bytes]")), 1U);
}

TEST_F(MendedRecordsTest, MayHaveOtherLinks) {
  const auto linked = [](std::string_view parent, std::string_view data) {
    return fmt::format(R"({{"type":"system","uuid":"b","parentUuid":"{}","subtype":"x","content":"{}"}})", parent,
                       data);
  };
  EXPECT_EQ(RefusedClaude(linked("a", "x"), linked("q", "x")), 0U);
  EXPECT_EQ(RefusedClaude(linked("a", "x"), linked("q", "y")), 1U);
}

TEST_F(MendedRecordsTest, WithoutIdsAreThoseInTheirPlace) {
  const auto numbered = [](int number, std::string_view text) {
    return fmt::format(R"({{"timestamp":"2026-08-01T10:00:00.000Z","ordinal":{},"type":"event_msg","payload":{})",
                       number, fmt::format(R"({{"type":"token_count","info":"{}"}}}})", text));
  };
  EXPECT_EQ(RefusedCodex(numbered(2, "x"), numbered(3, "x")), 0U);
  EXPECT_EQ(RefusedCodex(numbered(2, "x"), numbered(3, "y")), 1U);
  EXPECT_EQ(RefusedCodex(CodexUser("s3cret"), CodexUser("[redacted]")), 0U);
  EXPECT_EQ(RefusedCodex(CodexCall("c", "ls", R"("{}")"), CodexCall("c_2", "ls", R"("{}")")), 0U);
  EXPECT_EQ(added_, 2U) << "an import record and the revision";
}

constexpr std::string_view kUser = R"({"role":"user","content":"a"})", kOther = R"({"role":"user","content":"b"})";
constexpr std::string_view kCall =
    R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]})";
constexpr std::string_view kResult = R"({"role":"tool","tool_call_id":"c","content":"Tool call was interrupted."})";

std::string List(std::initializer_list<std::string_view> messages) {
  return fmt::format("{}", fmt::join(messages, ","));
}

TEST_F(MendedRecordsTest, OfADocumentMayGetResults) {
  EXPECT_EQ(RefusedChat(List({kUser, kCall, kOther}), List({kUser, kCall, kResult, kOther})), 0U);
  EXPECT_EQ(added_, 2U) << "an import record and the result";
  EXPECT_EQ(RefusedChat(List({kUser, kCall, kOther, kResult}), List({kUser, kCall, kResult, kOther})), 0U);
  EXPECT_EQ(added_, 0U) << "it has moved";
}

TEST_F(MendedRecordsTest, OfADocumentStayInOrder) {
  EXPECT_EQ(RefusedChat(List({kUser, kOther, kCall}), List({kOther, kUser, kCall})), 1U);
  EXPECT_EQ(RefusedChat(List({kUser, kCall}), List({kOther, kUser, kCall})), 1U) << "a new one before them";
  EXPECT_EQ(RefusedChat(List({kUser, kOther, kCall}), List({kUser, kCall})), 1U) << "one is missing";
  EXPECT_EQ(RefusedChat(List({kUser, kOther, kCall}), List({kUser, kCall, kOther})), 1U);
}

TEST_F(MendedRecordsTest, OfADocumentMayBeMissingAtItsEnd) {
  constexpr std::string_view kEmpty = R"({"role":"user","content":""})";
  EXPECT_EQ(RefusedChat(List({kUser, kCall, kEmpty}), List({kUser, kCall})), 0U);
  EXPECT_EQ(RefusedChat(List({kUser, kCall, kOther}), List({kUser, kCall})), 1U);
  EXPECT_EQ(RefusedChat(List({kUser, kCall, kEmpty, kOther}), List({kUser, kCall})), 1U);
}

// As turnlog writes a session that was repaired, and doctor a message of Anthropic's API.
TEST_F(MendedRecordsTest, MayHaveResultsThatHaveMoved) {
  const std::string a = Line(ClaudeUser("a", R"("a")")), call = Line(ClaudeAssistant("b", ClaudeCall("c")));
  const std::string late = Line(ClaudeResult("d", "c", R"("x")")), z = Line(ClaudeUser("z", R"("z")"));
  const auto moved = [](std::string_view content) { return Line(ClaudeResult("m", "c", content)); };
  const std::string file = kSession + ".jsonl";
  EXPECT_EQ(Refused(file, a + call + z + late, a + call + moved(R"("x")") + z), 0U);
  EXPECT_EQ(added_, 0U) << "it is there";
  EXPECT_EQ(Refused(file, a + call + z + late, a + call + moved(R"("y")") + z), 0U);
  EXPECT_EQ(added_, 2U) << "another result";
  const auto list = [](std::string_view first, std::string_view second) {
    return fmt::format(
        R"([{{"role":"user","content":"a"}},{{"role":"assistant","content":[{}]}},)"
        R"({{"role":"user","content":[{}{{"type":"text","text":"b"}}]}},{{"role":"assistant","content":"c"}},)"
        R"({{"role":"user","content":[{}{{"type":"text","text":"d"}}]}}])",
        ClaudeCall("c"), first, second);
  };
  const std::string result = R"({"type":"tool_result","tool_use_id":"c","content":"x"},)";
  EXPECT_EQ(Refused("talk.json", list("", result), list(result, "")), 0U);
  EXPECT_EQ(Refused("talk.json", list("", result), list("", "")), 1U) << "it is gone";
}

// The program that writes the document goes on with what doctor has made of it.
TEST_F(MendedRecordsTest, OfADocumentGoOn) {
  const auto write = [this](std::initializer_list<std::string_view> messages) {
    Settle();
    return Auto({Write("talk.json", "[" + List(messages) + "]")});
  };
  write({kUser, kCall, kOther});
  EXPECT_EQ(write({kUser, kCall, kResult, kOther}).events, 2U);
  constexpr std::string_view kMore = R"({"role":"user","content":"c"})", kMost = R"({"role":"user","content":"d"})";
  EXPECT_EQ(write({kUser, kCall, kResult, kOther, kMore}).failed, 0U);
  EXPECT_EQ(write({kUser, kCall, kResult, kOther, kMore, kMost}).failed, 0U);
  EXPECT_THAT(Said("talk"), ElementsAre("a", "b", "c", "d"));
}

}  // namespace
}  // namespace turnlog::mended_records_test
