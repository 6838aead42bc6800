// Flipped bits, truncated and missing files: everything read is correct or reported as damage with its location. By
// default some offsets are tried, including the headers of all records; TURNLOG_EFFORT=full tries every byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/engine/event_log.h"
#include "store/segments/log_end.h"
#include "tests/store/answers.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/sample_store.h"
#include "tests/support/effort.h"
#include "turnlog/maintenance.h"

namespace turnlog::damage_test {
namespace {

namespace fs = std::filesystem;

// All bytes of headers, and some of the others.
std::vector<std::uint64_t> OffsetsToFlip(const SampleStore& store, const SegmentExtent& segment, std::uint64_t step) {
  const std::uint64_t size = fs::file_size(store.path() / "log" / SegmentName(segment.base));
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0; offset < size; ++offset) {
    const FrameLocation* frame = store.FrameAt(segment, offset);
    const bool in_header = offset < 56 || (frame != nullptr && offset - frame->offset() < kFrameHeaderBytes);
    if (in_header || offset % step == 0) offsets.push_back(offset);
  }
  return offsets;
}

bool Covers(const Damage& damage, const std::string& file, std::uint64_t offset) {
  const bool far_enough = damage.length == 0 || offset < damage.offset + damage.length;
  return damage.file == file && damage.offset <= offset && far_enough;
}

class DamageTest : public testing::TestWithParam<Ending> {
 protected:
  void SetUp() override { Renew(); }
  void Renew() { sample_.CopyTo(copy_); }
  // Whether it contains any record; the last one may only be preallocated.
  bool Used(const SegmentExtent& segment) const {
    return std::ranges::any_of(sample_.frames(), [&](const FrameLocation& frame) { return frame.segment == segment; });
  }
  fs::path File(const SegmentExtent& segment) const { return copy_ / "log" / SegmentName(segment.base); }

  std::unique_ptr<EventLog> Reader() const {
    auto log = EventLog::Open(copy_, {.mode = OpenMode::kRead}, Environment{});
    EXPECT_TRUE(log) << log.error().message;
    return log ? *std::move(log) : nullptr;
  }

  VerifyReport Verify() const {
    auto report = VerifyStore(copy_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : VerifyReport{};
  }

  static std::vector<Item> ReadAll(Log& log, std::uint32_t conversation, std::vector<std::string>& payloads) {
    return Drain(**log.ReadRaw(NameOf(conversation)), payloads);
  }

  // Copies the payloads, which are valid only until the next call.
  template <class Source>
  static std::vector<Item> Drain(Source& source, std::vector<std::string>& payloads) {
    std::vector<Item> items;
    for (;;) {
      auto item = source.Next();
      EXPECT_TRUE(item) << item.error().message;
      if (!item || std::holds_alternative<EndOfLog>(*item)) return items;
      const auto* record = std::get_if<Record>(&*item);
      payloads.emplace_back(record == nullptr ? std::string_view() : record->payload);
      items.push_back(*std::move(item));
    }
  }

  const SampleStore sample_{GetParam()};
  TempDir folder_;
  const fs::path copy_ = folder_ / "store";
};

std::string NameOfEnding(const testing::TestParamInfo<Ending>& info) {
  return info.param == Ending::kClosed ? "Closed" : "Crashed";
}

// --- Reading ---

class ReadingDamage : public DamageTest {
 protected:
  struct Read {
    std::vector<Item> items;
    std::vector<std::string> payloads;
  };

  Read ReadEverything(Log& log) {
    Read read;
    for (std::uint32_t conversation = 0; conversation < 3; ++conversation) {
      for (Item& item : ReadAll(log, conversation, read.payloads)) read.items.push_back(std::move(item));
    }
    return read;
  }

  // All intact events except the touched one.
  void ExpectAllBut(const Read& sound, const Read& found, const FrameLocation* touched) {
    ASSERT_EQ(found.items.size(), sound.items.size());
    for (std::size_t i = 0; i < found.items.size(); ++i) {
      const auto& expected = std::get<Record>(sound.items[i]);
      if (const auto* damage = std::get_if<Damage>(&found.items[i])) {
        ASSERT_NE(touched, nullptr) << ToString(*damage);
        EXPECT_EQ(damage->seq, expected.seq.value);
        EXPECT_EQ(damage->seq, touched->header.seq);
        EXPECT_EQ(damage->file, touched->file());
        EXPECT_EQ(damage->offset, touched->offset());
        continue;
      }
      const auto& record = std::get<Record>(found.items[i]);
      ASSERT_EQ(record.seq, expected.seq);
      ASSERT_EQ(record.turn, expected.turn);
      ASSERT_EQ(record.kind, expected.kind);
      ASSERT_EQ(found.payloads[i], sound.payloads[i]);
    }
  }
};

TEST_P(ReadingDamage, AFlippedBitCostsItsEventAndNoOther) {
  const auto log = Reader();
  const Read sound = ReadEverything(*log);
  std::size_t noticed = 0, harmless = 0;
  for (const SegmentExtent& segment : sample_.segments()) {
    for (const std::uint64_t offset : OffsetsToFlip(sample_, segment, SampleStep(29))) {
      SCOPED_TRACE(fmt::format("{} byte {}", SegmentName(segment.base), offset));
      const FrameLocation* touched = sample_.FrameAt(segment, offset);
      if (touched != nullptr && touched->header.type != FrameType::kEvent) touched = nullptr;  // not read
      FlipBit(File(segment), offset, offset % 8);
      const Read found = ReadEverything(*log);
      FlipBit(File(segment), offset, offset % 8);
      ExpectAllBut(sound, found, touched);
      const bool damaged =
          std::ranges::any_of(found.items, [](const Item& item) { return std::holds_alternative<Damage>(item); });
      EXPECT_EQ(damaged, touched != nullptr);
      ++(damaged ? noticed : harmless);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(noticed, 1000U);
  EXPECT_GT(harmless, 100U) << "padding, unused bytes, names and seals";
}

TEST_P(ReadingDamage, ATailSaysWhereItStepsOverAFlippedBit) {
  const auto log = Reader();
  const auto follow = [&](const std::string& file) -> std::optional<Read> {
    const auto tail = log->Follow({}, {});
    if (!tail) {  // the end of the log is searched again each time
      EXPECT_TRUE(tail.error().message.starts_with(file)) << tail.error().message;
      return std::nullopt;
    }
    Read read;
    read.items = Drain(**tail, read.payloads);
    return read;
  };
  const Read sound = *follow("");
  for (const SegmentExtent& segment : sample_.segments()) {
    for (const std::uint64_t offset : OffsetsToFlip(sample_, segment, SampleStep(101))) {
      if (offset % SampleStep(3) != 0) continue;
      SCOPED_TRACE(fmt::format("{} byte {}", SegmentName(segment.base), offset));
      const FrameLocation* touched = sample_.FrameAt(segment, offset);
      FlipBit(File(segment), offset, offset % 8);
      const std::optional<Read> result = follow("log/" + SegmentName(segment.base));
      FlipBit(File(segment), offset, offset % 8);
      if (!result) {
        EXPECT_LT(offset, 56U);
        continue;
      }
      const Read& found = *result;
      std::size_t next = 0, damages = 0;
      for (std::size_t i = 0; i < found.items.size(); ++i) {
        if (const auto* damage = std::get_if<Damage>(&found.items[i])) {
          ++damages;
          EXPECT_TRUE(Covers(*damage, touched->file(), offset)) << ToString(*damage);
          next += touched->header.type == FrameType::kEvent ? 1 : 0;
          continue;
        }
        ASSERT_LT(next, sound.items.size());
        EXPECT_EQ(found.payloads[i], sound.payloads[next]);
        ++next;
      }
      EXPECT_EQ(next, sound.items.size());
      EXPECT_EQ(damages, touched != nullptr ? 1U : 0U);
      if (HasFailure()) return;
    }
  }
}

TEST_P(ReadingDamage, ATruncatedFileCostsTheEventsAfterTheCut) {
  const auto log = Reader();
  const Read sound = ReadEverything(*log);
  for (const SegmentExtent& segment : sample_.segments()) {
    const std::uint64_t size = fs::file_size(File(segment));
    for (std::uint64_t length = 0; length < size; length += SampleStep(509)) {
      SCOPED_TRACE(fmt::format("{} cut to {}", SegmentName(segment.base), length));
      fs::resize_file(File(segment), length);
      const Read found = ReadEverything(*log);
      fs::copy_file(sample_.path() / "log" / SegmentName(segment.base), File(segment),
                    fs::copy_options::overwrite_existing);
      ASSERT_EQ(found.items.size(), sound.items.size());
      std::size_t damages = 0;
      for (std::size_t i = 0; i < found.items.size(); ++i) {
        damages += std::holds_alternative<Damage>(found.items[i]) ? 1 : 0;
        if (const auto* record = std::get_if<Record>(&found.items[i])) {
          EXPECT_EQ(record->seq, std::get<Record>(sound.items[i]).seq);
          EXPECT_EQ(found.payloads[i], sound.payloads[i]);
        }
      }
      const auto lost = std::ranges::count_if(sample_.frames(), [&](const FrameLocation& frame) {
        return frame.header.type == FrameType::kEvent && frame.segment == segment &&
               frame.end() > segment.base + length;
      });
      // Only padding of the last record may be cut; it is read as zeros.
      EXPECT_GE(damages, static_cast<std::size_t>(lost));
      EXPECT_LE(damages, static_cast<std::size_t>(lost) + 1);
    }
  }
}

TEST_P(ReadingDamage, AMissingSegmentCostsItsEvents) {
  const Read sound = ReadEverything(*Reader());
  for (const SegmentExtent& segment : sample_.segments()) {
    SCOPED_TRACE(SegmentName(segment.base));
    Renew();
    fs::remove(File(segment));
    const auto log = Reader();
    const Read found = ReadEverything(*log);
    ASSERT_LE(found.items.size(), sound.items.size());
    std::size_t damages = 0;
    for (std::size_t i = 0, at = 0; i < found.items.size(); ++i, ++at) {
      if (const auto* damage = std::get_if<Damage>(&found.items[i])) {
        ++damages;
        EXPECT_EQ(damage->seq, std::get<Record>(sound.items[at]).seq.value);
      } else {
        // The index does not cover events after the checkpoint, so a conversation may end early.
        while (at < sound.items.size() && sound.payloads[at] != found.payloads[i]) ++at;
        ASSERT_LT(at, sound.items.size()) << "a wrong event";
      }
    }
    if (segment.end() <= sample_.checkpoint()) {
      EXPECT_EQ(found.items.size(), sound.items.size());
    }
    EXPECT_EQ(damages > 0 || !log->open_damage().empty(), Used(segment));
  }
}

// --- Verifying ---

class VerifyingDamage : public DamageTest {
 protected:
  // Names the location, or reports a torn tail if no claim covers it.
  void ExpectNoticed(const VerifyReport& report, const SegmentExtent& segment, std::uint64_t offset) {
    const std::string file = "log/" + SegmentName(segment.base);
    const bool named =
        std::ranges::any_of(report.damage, [&](const Damage& damage) { return Covers(damage, file, offset); });
    const std::uint64_t position = segment.base + offset;
    const FrameLocation* frame = sample_.FrameAt(segment, offset);
    const bool known = position < sample_.checkpoint() || (frame != nullptr && sample_.ClaimedDurable(frame->position));
    EXPECT_TRUE(named || (!known && report.unfinished_bytes > 0))
        << (report.damage.empty() ? "no damage" : ToString(report.damage.front()));
    EXPECT_EQ(report.clean(), !named);
  }
};

TEST_P(VerifyingDamage, ASoundStoreIsClean) {
  const VerifyReport report = Verify();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.unfinished_bytes, 0U);
  EXPECT_EQ(report.segments, sample_.segments().size());
}

TEST_P(VerifyingDamage, AFlippedBitIsNamedOrHarmless) {
  std::uint64_t tried = 0, harmless = 0;
  for (const SegmentExtent& segment : sample_.segments()) {
    for (const std::uint64_t offset : OffsetsToFlip(sample_, segment, 199)) {
      if (tried++ % SampleStep(37) != 0) continue;
      SCOPED_TRACE(fmt::format("{} byte {}", SegmentName(segment.base), offset));
      FlipBit(File(segment), offset, offset % 8);
      const VerifyReport report = Verify();
      FlipBit(File(segment), offset, offset % 8);
      const bool used = offset < 56 || sample_.FrameAt(segment, offset) != nullptr;
      if (used) ExpectNoticed(report, segment, offset);
      harmless += used ? 0 : 1;
      if (HasFailure()) return;
    }
  }
  RecordProperty("harmless", static_cast<int>(harmless));
}

TEST_P(VerifyingDamage, AMissingSegmentIsNamed) {
  for (const SegmentExtent& segment : sample_.segments()) {
    SCOPED_TRACE(SegmentName(segment.base));
    Renew();
    fs::remove(File(segment));
    const VerifyReport report = Verify();
    if (Used(segment)) {
      ExpectNoticed(report, segment, 0);
    } else {
      EXPECT_TRUE(report.clean());
    }
  }
}

TEST_P(VerifyingDamage, ACutFileIsNamed) {
  std::uint64_t tried = 0;
  for (const SegmentExtent& segment : sample_.segments()) {
    for (std::uint64_t length = 1; length < fs::file_size(File(segment)); length += 307) {
      if (tried++ % SampleStep(3) != 0) continue;
      SCOPED_TRACE(fmt::format("{} cut to {}", SegmentName(segment.base), length));
      Renew();
      fs::resize_file(File(segment), length);
      const VerifyReport report = Verify();
      const auto lost = std::ranges::find_if(sample_.frames(), [&](const FrameLocation& frame) {
        return frame.segment == segment && frame.end() > segment.base + length;
      });
      if (lost != sample_.frames().end())
        ExpectNoticed(report, segment, length < kSegmentHeaderBytes ? 0 : lost->offset());
      if (HasFailure()) return;
    }
  }
}

// --- Opening for writing ---

class WritingOverDamage : public DamageTest {
 protected:
  // Refused with the name of the file, or all events are as appended. True if refused.
  bool OpenRefuses(const std::string& file) {
    auto log = EventLog::Open(copy_, {.mode = OpenMode::kWrite}, Environment{});
    if (log) {
      ExpectBeginnings(**log, {});
      EXPECT_TRUE((*log)->Close());
      const VerifyReport report = Verify();
      EXPECT_TRUE(report.clean()) << (report.damage.empty() ? "" : ToString(report.damage.front()));
      return false;
    }
    EXPECT_EQ(log.error().code, ErrorCode::kCorruption);
    EXPECT_NE(log.error().message.find(file), std::string::npos) << log.error().message;
    return true;
  }
};

TEST_P(WritingOverDamage, WithoutTheIndexAllDurableDamageIsRefusedAndTheRestIsCut) {
  std::uint64_t tried = 0;
  for (const SegmentExtent& segment : sample_.segments()) {
    for (const std::uint64_t offset : OffsetsToFlip(sample_, segment, 199)) {
      if (tried++ % SampleStep(41) != 0) continue;
      SCOPED_TRACE(fmt::format("{} byte {}", SegmentName(segment.base), offset));
      Renew();
      fs::remove_all(copy_ / "index");
      FlipBit(File(segment), offset, offset % 8);
      const FrameLocation* frame = sample_.FrameAt(segment, offset);
      const bool known = offset < 56 || (frame != nullptr &&
                                         (GetParam() == Ending::kClosed || sample_.ClaimedDurable(frame->position)));
      EXPECT_EQ(OpenRefuses("log/" + SegmentName(segment.base)), known);
      if (HasFailure()) return;
    }
  }
}

TEST_P(WritingOverDamage, WithTheIndexDamageAfterTheCheckpointIsRefusedOrCutAndEarlierDamageIsRead) {
  std::uint64_t tried = 0;
  for (const FrameLocation& frame : sample_.frames()) {
    if (tried++ % SampleStep(7) != 0) continue;
    SCOPED_TRACE(fmt::format("{} byte {}", frame.file(), frame.offset()));
    Renew();
    FlipBit(copy_ / frame.file(), frame.offset() + 9);
    if (frame.position >= sample_.checkpoint()) {
      EXPECT_EQ(OpenRefuses(frame.file()), sample_.ClaimedDurable(frame.position));
    } else {
      const auto log = EventLog::Open(copy_, {.mode = OpenMode::kWrite}, Environment{});
      ASSERT_TRUE(log) << log.error().message;
      std::vector<std::string> answers = AnswersOf(**log);
      EXPECT_TRUE(std::ranges::any_of(answers, [&](const std::string& line) {
        return line.starts_with(fmt::format("damage {} byte {} ", frame.file(), frame.offset()));
      }));
    }
    if (HasFailure()) return;
  }
}

TEST_P(WritingOverDamage, AMissingSegmentIsRefused) {
  for (const bool with_index : {true, false}) {
    for (const SegmentExtent& segment : sample_.segments()) {
      SCOPED_TRACE(fmt::format("{} {} index", SegmentName(segment.base), with_index ? "with" : "without"));
      Renew();
      if (!with_index) fs::remove_all(copy_ / "index");
      fs::remove(File(segment));
      EXPECT_EQ(OpenRefuses("log/" + SegmentName(segment.base)), Used(segment));
    }
  }
}

// A refused store is unchanged, so that other tools can still recover data from it.
TEST_P(WritingOverDamage, ARefusedStoreIsNotTouched) {
  const FrameLocation& frame = sample_.frames()[sample_.frames().size() / 2];
  fs::remove_all(copy_ / "index");
  FlipBit(copy_ / frame.file(), frame.offset() + 40);
  std::map<std::string, std::string> before;
  for (const auto& entry : fs::directory_iterator(copy_ / "log")) {
    before[entry.path().filename().string()] = *ReadFile(PosixFileSystem(), entry.path());
  }
  EXPECT_TRUE(OpenRefuses(frame.file()));
  for (const auto& [name, bytes] : before) EXPECT_EQ(*ReadFile(PosixFileSystem(), copy_ / "log" / name), bytes) << name;
  EXPECT_FALSE(ReindexStore(copy_));
  for (const auto& [name, bytes] : before) EXPECT_EQ(*ReadFile(PosixFileSystem(), copy_ / "log" / name), bytes) << name;
}

INSTANTIATE_TEST_SUITE_P(Endings, ReadingDamage, testing::Values(Ending::kClosed, Ending::kCrashed), NameOfEnding);
INSTANTIATE_TEST_SUITE_P(Endings, VerifyingDamage, testing::Values(Ending::kClosed, Ending::kCrashed), NameOfEnding);
INSTANTIATE_TEST_SUITE_P(Endings, WritingOverDamage, testing::Values(Ending::kClosed, Ending::kCrashed), NameOfEnding);

}  // namespace
}  // namespace turnlog::damage_test
