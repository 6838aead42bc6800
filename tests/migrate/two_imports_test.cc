// Two imports of one log at once: nothing comes in twice, and nothing fails.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "log/forwarding_log.h"
#include "schema/event/import_event.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/small_import.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::two_imports_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;

const std::string kSession(kClaudeSession);

// Imports the same source once more before its n-th append.
class InterruptingLog : public ForwardingLog {
 public:
  InterruptingLog(Log& log, fs::path source, std::uint64_t append)
      : ForwardingLog(log), inner_(log), source_(std::move(source)), left_(append) {}

  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    if (left_ > 0 && --left_ == 0) {
      const ImportReport report = ImportSmall(inner_, "claude-code", source_);
      EXPECT_EQ(report.failed, 0U);
    }
    return ForwardingLog::AppendLater(conversation, events, options);
  }

  bool interrupted() const { return left_ == 0; }

 private:
  Log& inner_;
  const fs::path source_;
  std::uint64_t left_;
};

class TwoImportsTest : public ImportTest {
 protected:
  static std::string Text(int messages) {
    std::string text;
    for (int i = 0; i < messages; ++i) {
      text += ClaudeUser(fmt::format("u{}", i), '"' + std::string(1'000, 'x') + '"') + "\n";
    }
    return text;
  }

  // Without the import records, of which two imports may have made more.
  std::vector<std::string> Content(std::string_view conversation) {
    std::vector<std::string> lines;
    for (const Event& event : Events(conversation)) {
      if (!IsImportEvent(View(event))) lines.push_back(ToJson(View(event)));
    }
    return lines;
  }
};

// A session of several appends with a subagent, at first and when it has grown.
TEST_F(TwoImportsTest, OfTheSameSourceAreAsOne) {
  const std::string agent = kSession + "/agent-a";
  const std::string name = "p/" + kSession;
  const auto write = [&](int messages) {
    Write(name + "/subagents/agent-a.jsonl", ClaudeUser("x", R"("go")") + "\n");
    return Write(name + ".jsonl", Text(messages));
  };
  ImportSmall(*log_, "claude-code", write(40));
  ImportSmall(*log_, "claude-code", write(80));
  const std::vector<std::string> expected = Content(kSession);
  const std::vector<std::string> agents = Content(agent);
  for (const int grown : {0, 1}) {
    for (std::uint64_t n = 1;; ++n) {
      SCOPED_TRACE(fmt::format("another one before append {}, {}", n, grown == 1 ? "of a grown file" : "at first"));
      TempStore store;
      std::swap(store.log, log_);
      const fs::path path = write(40);
      InterruptingLog first(*log_, path, grown == 0 ? n : 0);
      EXPECT_EQ(ImportSmall(first, "claude-code", path).failed, 0U);
      write(80);
      InterruptingLog second(*log_, path, grown == 1 ? n : 0);
      const ImportReport report = ImportSmall(second, "claude-code", path);
      EXPECT_EQ(report.failed, 0U);
      EXPECT_EQ(report.added + report.extended + report.unchanged, 2U);
      EXPECT_EQ(Content(kSession), expected);
      EXPECT_EQ(Content(agent), agents);
      EXPECT_EQ(ImportSmall(*log_, "claude-code", path).events, 0U);
      std::swap(store.log, log_);
      if (HasFailure() || !(grown == 0 ? first : second).interrupted()) break;
    }
  }
}

TEST_F(TwoImportsTest, InTwoThreadsAreAsOne) {
  for (int i = 0; i < 8; ++i) Write(fmt::format("p/0a1b2c3d-4e5f-4061-8071-{:012x}.jsonl", i), Text(20 + i));
  const fs::path all = dir_ / "p";
  const auto import = [&] {
    const ImportReport report = Must(Import(*log_, "auto", {&all, 1}, {.progress = {}, .threads = 2}));
    EXPECT_EQ(report.failed, 0U);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.added + report.extended + report.unchanged, 8U);
  };
  std::thread other(import);
  import();
  other.join();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Last(fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", i)).value,
              1U + 2U * (20U + static_cast<unsigned>(i)));
  }
}

}  // namespace
}  // namespace turnlog::two_imports_test
