// What is left of a secret in this process after each way that it takes through it: in memory that was freed, and on
// the stack. A child of this process writes the texts that contain it, so that no text of a test does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <utility>

#include "base/secret_string.h"
#include "tests/redact/process_memory.h"
#include "tests/redact/redact_fixture.h"
#include "tests/support/memory.h"
#include "tests/support/temp_dir.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/redaction/secret_scan.h"
#include "turnlog/segment_log.h"

namespace turnlog::freed_memory_test {
namespace {

// The two halves of a token, which are never next to each other in this process but where it is at work.
constexpr std::string_view kFirst =
                               "gh"
                               "p_Zr8Qw3Lk5Vn1Xc7J",
                           kSecond = "m2Tb9Hd4Fg6Ys0PaEuRi";

std::vector<Event> Together(std::vector<Event> events, const std::string& token) {
  for (Event& event : Everywhere(token)) events.push_back(std::move(event));
  for (const std::string& text : Encoded(token)) events.push_back(Say(text));
  events.push_back(Say(fmt::format(R"({{"type":"thinking","signature":"{}"}})", token)));
  return events;
}

ConversationId Talk() { return Must(ConversationId::Parse("c")); }

// What the tests find below their folder.
void WriteSources(const std::filesystem::path& folder) {
  const std::string token = std::string(kFirst) + std::string(kSecond);
  Must(Must(OpenSegmentLog(folder / "answered"))->Append(Talk(), Together(LeakedAnswer("q", token), token)));
  Must(Must(OpenSegmentLog(folder / "said"))->Append(Talk(), Together({NewTurn(), Say("password = " + token)}, token)));
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    const auto log = Must(OpenSegmentLog(folder / ToString(compression)));
    Must(SetCompression(*log, compression));
    Must(log->Append(Talk(), Together({NewTurn(), Say("password = " + token)}, token)));
  }
  std::ofstream file(folder / "file");
  for (const std::string& text : Encoded(token)) file << "a line\npassword = " << text << "\n";
  std::ofstream(folder / ".env") << "A_TOKEN=" << token << "\n";
}

class FreedMemoryTest : public testing::Test {
 protected:
  // In a child, before there are any threads, which it would not have.
  static void SetUpTestSuite() {
    if (kSanitized) return;
    folder_ = std::make_unique<TempDir>();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      WriteSources(folder_->path());
      std::_Exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed";
  }

  // A copy of one of the stores that were written.
  std::filesystem::path Store(const std::string& name) {
    std::filesystem::copy(*folder_ / name, own_ / name, std::filesystem::copy_options::recursive);
    return own_ / name;
  }

  static void ExpectNothingLeft(const std::function<void()>& work) {
    {
      const FreedMemoryWatch freed(kFirst, kSecond);
      work();
      EXPECT_EQ(FreedMemoryWatch::found(), 0U) << "memory was freed without being overwritten";
    }
    EXPECT_EQ(CountInMemory(kFirst, kSecond), 0U) << "it is left in memory, perhaps on the stack";
  }

  void ExpectCleanRedaction(const std::string& store, const RedactionTargets& targets) {
    ExpectNothingLeft([&] {
      const auto log = Must(OpenSegmentLog(Store(store)));
      const auto redaction = Must(Redaction::Plan(*log, targets));
      EXPECT_GT(redaction->plan().events(), 0U);
      Must(redaction->Apply("tester"));
      EXPECT_TRUE(Must(redaction->Prove()).clean());
    });
  }

  static inline std::unique_ptr<TempDir> folder_;
  const TempDir own_;
};

TEST_F(FreedMemoryTest, OfAnswersToSecretQuestions) {
  RedactionTargets targets;
  targets.secrets = true;
  ExpectCleanRedaction("answered", targets);
}

TEST_F(FreedMemoryTest, OfTheAnswersToAnInquiry) {
  RedactionTargets targets;
  targets.inquiries = {{"q", {}, {}}};
  ExpectCleanRedaction("answered", targets);
}

TEST_F(FreedMemoryTest, OfWhatARuleFinds) {
  RedactionTargets targets;
  targets.detect = true;
  ExpectCleanRedaction("said", targets);
}

TEST_F(FreedMemoryTest, OfAGivenValue) {
  ExpectNothingLeft([&] {
    SecretString value(kFirst);
    value.Append(kSecond);
    RedactionTargets targets;
    targets.values = {value.view()};
    const auto log = Must(OpenSegmentLog(Store("said")));
    const auto redaction = Must(Redaction::Plan(*log, targets));
    Must(redaction->Apply("tester"));
    EXPECT_TRUE(Must(redaction->Prove()).clean());
  });
}

TEST_F(FreedMemoryTest, OfWhatARuleFindsInCompressedEvents) {
  RedactionTargets targets;
  targets.detect = true;
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    SCOPED_TRACE(ToString(compression));
    ExpectCleanRedaction(std::string(ToString(compression)), targets);
  }
}

// It is compressed before it is refused: nothing of it may stay in what it was compressed with.
TEST_F(FreedMemoryTest, OfACompressedAppendThatIsRefused) {
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    SCOPED_TRACE(ToString(compression));
    ExpectNothingLeft([&] {
      const auto log = Must(OpenSegmentLog(own_ / ToString(compression)));
      Must(SetCompression(*log, compression));
      Must(log->Append(Talk(), NewTurn()));
      Event event = Say(std::string(256, ' '));
      std::string& text = std::get<ChatRequest>(event.body).content;
      text.replace(0, kFirst.size(), kFirst).replace(kFirst.size(), kSecond.size(), kSecond);
      EXPECT_EQ(CodeOf(log->Append(Talk(), event, {.expected_last = Seq{9}})), "conflict");
      Wipe(text);
    });
  }
}

TEST_F(FreedMemoryTest, OfErasedEvents) {
  ExpectNothingLeft([&] {
    const auto log = Must(OpenSegmentLog(Store("said")));
    Must(log->Erase(Talk(), std::vector<Seq>{{2}, {3}, {4}}));
  });
}

TEST_F(FreedMemoryTest, OfFilesThatAreScannedByRules) {
  ExpectNothingLeft(
      [&] { EXPECT_GT(Must(ScanForSecrets(std::vector{*folder_ / "file"}, {.jobs = 1})).secrets.size(), 5U); });
}

TEST_F(FreedMemoryTest, OfFilesThatAreScannedForValues) {
  ExpectNothingLeft([&] {
    SecretString value(kFirst);
    value.Append(kSecond);
    const SecretScanOptions options{.values = {value.view()}, .jobs = 1};
    EXPECT_GT(Must(ScanForSecrets(std::vector{*folder_ / "file"}, options)).secrets.size(), 5U);
  });
}

TEST_F(FreedMemoryTest, OfTheCredentialsOfAHome) {
  ExpectNothingLeft([&] {
    int found = 0;
    Must(ForEachKnownCredential(folder_->path(), [&](std::string_view) { ++found; }));
    EXPECT_EQ(found, 1);
  });
}

TEST_F(FreedMemoryTest, OfAnAnswerThatIsRecorded) {
  ExpectNothingLeft([&] {
    const auto log = Must(OpenSegmentLog(own_ / "store"));
    auto recorder = Must(TurnRecorder::Begin(*log, Talk(), {.content = "go", .author = {}, .schema = {}}));
    Must(recorder->RequestTool({.id = "call", .name = "tool", .arguments = {}}));
    const InquiryId id = Must(recorder->Ask({.tool_call = "call",
                                             .question_id = "q",
                                             .source = {SourceKind::kTool, "tool", {}},
                                             .question = {.text = "Key?", .answer_type = {.kind = AnswerKind::kSecret}},
                                             .escalated_from = {}}));
    SecretString value(kFirst);
    value.Append(kSecond);
    std::string json;
    json.reserve(2 * value.size());
    json.append("\"").append(value.view()).append("\"");
    GivenAnswer answer{
        .answer = Json::FromTrusted(std::move(json)), .responder = {"user", {}, {}, {}, {}}, .reason = {}};
    Must(recorder->Answer(id.text, answer));
    json = std::move(answer.answer).text();
    Wipe(json);
  });
}

}  // namespace
}  // namespace turnlog::freed_memory_test
