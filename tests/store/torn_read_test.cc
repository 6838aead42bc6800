// A reader whose every look at a record falls into another redaction of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "store/engine/event_log.h"
#include "tests/store/log_fixture.h"
#include "tests/support/watched_files.h"

namespace turnlog::torn_read_test {
namespace {

constexpr int kTimes = 20;

class TornReadTest : public testing::Test {
 protected:
  // One event, which is redacted already.
  TornReadTest() {
    Must(log_->Append(Id("a"), Say(Text(0)), {}));
    const auto reader = OpenReader();
    files_.on_read = [this](std::uint64_t offset, std::size_t) {
      original_ = offset;
      return false;
    };
    EXPECT_EQ(ReadBy(*reader), Seen(0));
    files_.on_read = {};
    Redact();
  }

  static std::string Text(int round) { return fmt::format("{:02}{}", round, std::string(2'000, 'x')); }
  // What a reader sees of the event, without its long end.
  static std::string Seen(int round) { return fmt::format("1 0 {:02}", round); }
  static std::string ReadBy(EventLog& reader) {
    return Line(Must(Must(reader.ReadRaw(Id("a"), {}))->Next())).substr(0, 6);
  }
  bool HasOriginal(std::uint64_t offset, std::size_t size) const {
    return offset <= original_ && original_ < offset + size;
  }
  std::unique_ptr<EventLog> OpenReader() {
    return Must(EventLog::Open(folder_ / "store", {.mode = OpenMode::kRead}, {.files = &files_}));
  }

  void Redact() {
    const Event now = Say(Text(++round_));
    const Replacement replacement{{1}, View(now)};
    const Event redaction{.body = Verbatim{.kind = EventKind::kRedaction,
                                           .tag = "redaction",
                                           .json = Json::FromTrusted(R"({"type":"redaction"})")}};
    Must(log_->Redact(Id("a"), {&replacement, 1}, View(redaction)));
  }
  // Redacts the event during the next kTimes reads of a reader that do, or do not, contain its original record.
  std::string ReadMeanwhile(bool original, bool torn) {
    const auto reader = OpenReader();
    int left = kTimes;
    files_.on_read = [&, original, torn](std::uint64_t offset, std::size_t size) {
      if (left == 0 || HasOriginal(offset, size) != original) return false;
      --left;
      Redact();
      return torn;
    };
    const std::string seen = ReadBy(*reader);
    files_.on_read = {};
    EXPECT_EQ(left, 0);
    return seen;
  }

  TempDir folder_;
  const std::unique_ptr<Log> log_ = Must(OpenQuietLog(folder_ / "store"));  // all in one segment
  WatchedFiles files_;
  std::uint64_t original_ = 0;  // its offset in the segment
  int round_ = 0;
};

TEST_F(TornReadTest, ARecordThatIsOverwrittenAtEachLookIsReadInTheEnd) {
  const std::string seen = ReadMeanwhile(true, true);
  EXPECT_EQ(seen, Seen(round_));
}

TEST_F(TornReadTest, AReplacementThatIsReplacedAtEachLookIsReadInTheEnd) {
  const std::string seen = ReadMeanwhile(false, false);
  EXPECT_EQ(seen, Seen(round_));
}

// What a reader learned in the middle of a redaction is outdated when it goes on at a later checkpoint of the index.
TEST(ReadBesideRedactionTest, AReaderThatGoesOnAtALaterCheckpointSeesLaterRedactions) {
  TempDir folder;
  WatchedFiles files;
  const std::unique_ptr<Log> writer = Must(EventLog::Open(folder / "store", {}, {.files = &files}));
  const auto text = [](int round) { return fmt::format("{:02}{}", round, std::string(2'000, 'x')); };
  const Event redaction{.body = Verbatim{.kind = EventKind::kRedaction,
                                         .tag = "redaction",
                                         .json = Json::FromTrusted(R"({"type":"redaction"})")}};
  const auto redact = [&](int round) {
    const Event now = Say(text(round));
    const Replacement replacement{{1}, View(now)};
    Must(writer->Redact(Id("a"), {&replacement, 1}, View(redaction)));
  };
  Must(writer->Append(Id("a"), Say(text(0)), {}));
  const auto reader =
      Must(EventLog::Open(folder / "store", {.mode = OpenMode::kRead, .checkpoint_bytes = 1}, Environment{}));
  const auto seen = [&] {
    Must(reader->Refresh());
    return Line(Must(Must(reader->ReadRaw(Id("a"), {}))->Next())).substr(0, 6);
  };
  std::vector<std::string> meanwhile;
  files.on_write = [&](std::size_t size) {
    if (size > 2'000) meanwhile.push_back(seen());
  };
  redact(1);
  files.on_write = {};
  EXPECT_EQ(meanwhile.back(), "1 0 01");
  redact(2);
  Must(writer->Checkpoint());
  EXPECT_EQ(seen(), "1 0 02");
}

TEST_F(TornReadTest, ARecordThatNobodyOverwritesIsDamageAtOnce) {
  const auto reader = OpenReader();
  int reads = 0;
  files_.on_read = [&](std::uint64_t offset, std::size_t size) {
    reads += HasOriginal(offset, size) ? 1 : 0;
    return HasOriginal(offset, size);
  };
  EXPECT_EQ(ReadBy(*reader), "damage");
  files_.on_read = {};
  EXPECT_EQ(reads, 2);
}

}  // namespace
}  // namespace turnlog::torn_read_test
