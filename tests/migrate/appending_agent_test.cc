// An agent that appends to its session's file while that is read: at each of the reads in turn, without any clock.
#include <gmock/gmock.h>

#include "migrate/import/source_import.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/memory_bytes.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::appending_agent_test {
namespace {

using ::testing::IsEmpty;

// A file that becomes longer, by a line or a part of one, before the read with this number.
class AppendedBytes final : public ByteSource {
 public:
  AppendedBytes(const std::string& text, std::size_t size, std::size_t more, std::size_t read)
      : text_(text), size_(size), more_(more), read_(read) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    if (reads_++ == read_) size_ = std::min(text_.size(), size_ + more_);
    if (offset >= size_) return 0;
    const std::size_t count = std::min<std::size_t>(out.size(), size_ - offset);
    std::copy_n(text_.data() + offset, count, out.data());
    return count;
  }
  std::size_t reads() const { return reads_; }

 private:
  const std::string& text_;
  std::size_t size_;
  const std::size_t more_, read_;
  std::size_t reads_ = 0;
};

struct Sample {
  std::string format, file, text;

  friend void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.file; }
};

class AppendingAgentTest : public ImportTest, public testing::WithParamInterface<Sample> {
 protected:
  static Source FileOf(std::shared_ptr<ByteSource> bytes) {
    Source source;
    source.path = source.name = GetParam().file;
    source.files.emplace_back(GetParam().file, std::move(bytes));
    return source;
  }

  ImportReport ImportOne(Log& log, Source source, const ImportLimits& limits) {
    ImportRun run(log, limits);
    Must(SourceImport(run, *FindFormat(GetParam().format), source).Import());
    return Must(run.Finish());
  }

  static std::vector<std::string> EventsOf(Log& log) {
    std::vector<std::string> events;
    for (const ConversationInfo& info : Must(log.List("", 9))) {
      const auto cursor = Must(log.ReadRaw(Id(info.id)));
      for (;;) {
        const Item item = Must(cursor->Next());
        const auto* record = std::get_if<Record>(&item);
        if (record == nullptr) break;
        if (record->kind != EventKind::kUnknown) events.push_back(ToJson(Must(record->Decode())));
      }
    }
    return events;
  }
};

TEST_P(AppendingAgentTest, LosesNothing) {
  const std::string& text = GetParam().text;
  const auto whole = [&] { return FileOf(std::make_shared<MemoryBytes>(text)); };
  const TempStore expected;
  ImportOne(*expected.log, whole(), {});
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  // So small that the file is read twice.
  const ImportLimits twice{
      .append_bytes = 1 << 10, .waiting_bytes = 4 << 10, .kept_bytes = 1 << 10, .unwritten_bytes = 1 << 10};
  for (const ImportLimits& limits : {ImportLimits(), twice}) {
    for (const std::size_t more : {text.find('\n', half) + 1 - half, std::size_t{40}, text.size()}) {
      bool grew = true;
      for (std::size_t read = 0; grew; ++read) {
        SCOPED_TRACE(testing::Message() << more << " more bytes at read " << read);
        const TempStore store;
        const auto bytes = std::make_shared<AppendedBytes>(text, half, more, read);
        const ImportReport report = ImportOne(*store.log, FileOf(bytes), limits);
        EXPECT_EQ(report.failed, 0U);
        EXPECT_EQ(report.added, 1U);
        grew = bytes->reads() > read;
        const ImportReport rest = ImportOne(*store.log, whole(), limits);
        EXPECT_EQ(rest.failed, 0U);
        EXPECT_THAT(rest.problems, IsEmpty());
        ASSERT_EQ(EventsOf(*store.log), EventsOf(*expected.log));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AppendingAgentTest,
                         testing::Values(Sample{"claude-code", std::string(kClaudeSession) + ".jsonl", ClaudeSample()},
                                         Sample{"codex", kCodexFile, CodexSample()},
                                         Sample{"gemini", "session.jsonl", GeminiLines()}));

}  // namespace
}  // namespace turnlog::appending_agent_test
