// Imports of the files of Codex: grown ones, copies in one folder, and compressed ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "migrate/sources/source.h"
#include "schema/event/import_event.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::codex_import_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kThread(kCodexThread);

const std::string kPrompted =
    CodexCompleted(R"({"type":"UserMessage","id":"1","content":[{"type":"text","text":"Hi"}]})");
const std::string kAnswered =
    CodexCompleted(R"({"type":"AgentMessage","id":"2","content":[{"type":"Text","text":"Yo"}]})");

using CodexImportTest = ImportTest;

// To find what it was forked from, its first records are looked at, and not all of them.
TEST_F(CodexImportTest, ReadsASessionOnce) {
  std::string text = CodexMeta(kThread) + "\n";
  while (text.size() < (3U << 20)) text += CodexUser(std::string(10'000, 'x')) + "\n";
  Write("all/" + kCodexFile, text);
  Write("all/talk.jsonl", "{\"type\":\"turn_start\"}\n");  // of several sources the copies come last
  const std::filesystem::path path = dir_ / "all";
  const ImportReport report = Must(Import(*log_, "auto", {&path, 1}));
  EXPECT_LE(report.bytes_read, text.size() + (1U << 20));
  EXPECT_GE(report.bytes_read, text.size());
}

TEST_F(CodexImportTest, ImportsAFolderOnce) {
  Write("2026/08/01/" + kCodexFile, CodexSample());
  const std::vector<std::filesystem::path> paths{dir_ / "2026"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Must(Import(*log_, "codex", paths)).unchanged, 1);
  EXPECT_EQ(ExportRawText("codex", kThread), CodexSample());
}

TEST_F(CodexImportTest, KnowsCopiesAndRepetitionsInAFileThatGrows) {
  const std::string meta = CodexRecord("session_meta", fmt::format(R"({{"id":"{}"}})", kThread), "05");
  const std::string parents =
      CodexRecord("event_msg", R"({"type":"task_started","turn_id":"019fc8be-3657-7ca3-9e29-0123456789ab"})", "05");
  const std::string own =
      CodexRecord("event_msg", R"({"type":"task_started","turn_id":"019fc8be-3659-7ca3-9e29-0123456789ab"})", "05");
  std::string text;
  for (const std::string& record : {meta, CodexMeta("other", "05"), parents, CodexUser("copied", "05"), own, kPrompted,
                                    CodexUser("Hi"), kAnswered, CodexAssistant("Yo")}) {
    text += record + "\n";
    const std::vector<std::filesystem::path> paths{Write(kCodexFile, text)};
    EXPECT_THAT(Must(Import(*log_, "codex", paths)).problems, IsEmpty());
  }
  std::vector<std::string> said;
  for (const Event& event : Events(kThread)) {
    if (const auto* request = std::get_if<ChatRequest>(&event.body)) said.push_back(request->content);
    if (const auto* response = std::get_if<ChatResponse>(&event.body)) said.push_back(response->content);
  }
  EXPECT_THAT(said, ElementsAre("Hi", "Yo"));
}

TEST_F(CodexImportTest, CancelsAQuestionThatWasImportedBeforeItsTurnWasAborted) {
  std::string text;
  std::uint64_t parsed = 0;
  for (const std::string& record :
       {CodexMeta(kThread), CodexUser(std::string(10'000, 'x')), CodexAsk("b"), CodexAsk("a.q1"), CodexAborted(),
        CodexOutput("b", R"("aborted")"), CodexUser("Hi"), CodexAsk("c")}) {
    text += record + "\n";
    const std::vector<std::filesystem::path> paths{Write(kCodexFile, text)};
    const ImportReport report = Must(Import(*log_, "codex", paths));
    EXPECT_THAT(report.problems, IsEmpty());
    parsed = report.bytes_parsed;
  }
  EXPECT_LT(parsed, 10'000U) << "only what is new";
  std::vector<std::string> cancelled;
  for (const Event& event : Events(kThread)) {
    if (const auto* response = std::get_if<InquiryResponse>(&event.body)) cancelled.push_back(response->id.text);
  }
  EXPECT_THAT(cancelled, ElementsAre("a.q1.q1.1", "b.q1.1"));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(1));
  EXPECT_EQ(ExportRawText("codex", kThread), text);
  const auto imported = Events(kThread).size();
  Must(log_->SetWatermark(kImportConsumer, Must(ConversationId::Parse(kThread)), {}));
  const std::vector<std::filesystem::path> paths{Write(kCodexFile, text)};
  EXPECT_EQ(Must(Import(*log_, "codex", paths)).unchanged, 1U) << "the same when it is read as a whole";
  EXPECT_EQ(Events(kThread).size(), imported);
}

// A Zstandard frame with one uncompressed block.
std::string ZstdFrame(std::string_view text) {
  const auto size = static_cast<unsigned>(text.size());
  const unsigned block = 1U | size << 3;
  std::string frame = "\x28\xb5\x2f\xfd\x60";
  for (const unsigned byte :
       {(size - 256) & 0xffU, (size - 256) >> 8, block & 0xffU, block >> 8 & 0xffU, block >> 16}) {
    frame.push_back(static_cast<char>(byte));
  }
  return frame.append(text);
}

std::string Compress(std::string_view text) {
  std::string frames;
  constexpr std::size_t kBlock = 1000;
  for (; text.size() > 2 * kBlock; text.remove_prefix(kBlock)) frames += ZstdFrame(text.substr(0, kBlock));
  return frames + ZstdFrame(text);
}

TEST_F(CodexImportTest, ReadsCompressedFiles) {
  const std::string plain = CodexUser("appended as plain text") + "\n";
  Write("sessions/" + kCodexFile + ".zst", Compress(CodexSample()) + plain);
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.bytes.at(0).size, CodexSample().size() + plain.size());
  EXPECT_EQ(report.bytes.at(0).unreadable, 0);
  EXPECT_EQ(Must(Import(*log_, "codex", paths)).unchanged, 1);
}

TEST_F(CodexImportTest, PrefersThePlainFile) {
  Write("sessions/" + kCodexFile, CodexSample());
  Write("sessions/" + kCodexFile + ".zst", Compress(CodexUser("older")));
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
}

TEST_F(CodexImportTest, ImportsACompressedFileUpToItsDamage) {
  const std::string bytes = Compress(CodexSample());
  const std::vector<std::filesystem::path> cut{Write(kCodexFile + ".zst", bytes.substr(0, bytes.size() - 20))};
  const ImportReport report = Must(Import(*log_, "codex", cut));
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kIncomplete)));
  ASSERT_EQ(report.bytes.size(), 1U);
  EXPECT_GT(report.bytes[0].imported, CodexSample().size() / 2);
}

TEST_F(CodexImportTest, ReportsACompressedFileThatIsAllDamaged) {
  Write("sessions/" + kCodexFile + ".zst", Compress(CodexUser("Hi")).substr(0, 20));
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 0);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].reason, HasSubstr("cannot be decompressed"));
}

constexpr int kBlocksIn64MiB = 512;

// Zeros in blocks of 128 KiB that are one byte each.
std::string Bomb(int blocks) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x38", 6);
  for (int left = blocks; left > 0; --left) {
    for (const int byte : {left == 1 ? 3 : 2, 0, 0x10, 0}) frame.push_back(static_cast<char>(byte));
  }
  return frame;
}

// A few kilobytes may stand for gigabytes, and only their beginning is needed to see that they are no session.
TEST_F(CodexImportTest, DecompressesOnlyAsMuchAsIsLookedAt) {
  SourceFile file(Write(kCodexFile + ".zst", Bomb(kBlocksIn64MiB)), true);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = std::size_t{4} << 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto head = file.Head(1'000);
  (void)::setrlimit(RLIMIT_FSIZE, &before);
  (void)std::signal(SIGXFSZ, signal_before);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->size(), 1'000U);
  EXPECT_EQ(Must(file.FindSize()), std::size_t{64} << 20);
}

TEST_F(CodexImportTest, RefusesACompressedFileThatStandsForFarMore) {
  const std::vector<std::filesystem::path> bomb{Write(kCodexFile + ".zst", Bomb(16 * kBlocksIn64MiB))};
  const ImportReport report = Must(Import(*log_, "codex", bomb));
  EXPECT_EQ(report.failed, 1);
  EXPECT_THAT(report.problems, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kMalformed)));
}

}  // namespace
}  // namespace turnlog::codex_import_test
