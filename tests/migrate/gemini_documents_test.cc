// Documents of Gemini CLI, which are written anew as their calls go on.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::gemini_documents_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kSession = "s";

class GeminiDocumentsTest : public ImportTest {
 protected:
  // Expects that all of it comes in, and can be written back.
  void Import(const std::vector<std::string>& messages) {
    const std::string text =
        fmt::format(R"({{"sessionId":"{}","startTime":"2025-09-01T10:00:00.000Z","messages":[{}]}})", kSession,
                    fmt::join(messages, ","));
    const std::vector<std::filesystem::path> paths{Write("session.json", text)};
    EXPECT_THAT(Must(turnlog::Import(*log_, "gemini", paths)).problems, IsEmpty());
    EXPECT_EQ(ExportRawText("gemini", kSession), text);
    EXPECT_EQ(Must(turnlog::Import(*log_, "gemini", paths)).events, 0U);
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

}  // namespace
}  // namespace turnlog::gemini_documents_test
