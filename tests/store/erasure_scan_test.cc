// Interrupted erasures: how a scan treats erase intents and half overwritten frames.
#include <gtest/gtest.h>

#include "store/erasure/tombstone.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/log_end.h"
#include "tests/store/hand_made_log.h"

namespace turnlog::erasure_scan_test {
namespace {

constexpr std::size_t kLength = 1000;

class ErasureScanTest : public testing::Test {
 protected:
  // Adds a record, and keeps its tombstone.
  std::uint64_t Add(std::optional<std::uint64_t> durable = {}) {
    const std::uint64_t at = log_.Add(std::string(kLength, 'x'), durable);
    const auto segments = log_.Open();
    FrameScanner scanner(*segments, at);
    const auto frame = scanner.Next();
    EXPECT_TRUE(frame && *frame && (*frame)->position == at);
    frames_.emplace(at, EraseFrame(**frame, EncodeTombstoneFields({})));
    return at;
  }
  std::uint64_t Announce(const std::vector<std::uint64_t>& positions) {
    std::vector<Tombstone> frames;
    for (const std::uint64_t position : positions) frames.push_back(frames_.at(position));
    return log_.Put({.type = FrameType::kEraseIntent, .kind = EventKind{0}}, EncodeErasure(frames));
  }
  std::uint64_t Report() { return log_.Put({.type = FrameType::kEraseComplete, .kind = EventKind{0}}, {}); }
  std::string NewBytes(std::uint64_t position) {
    return EncodeFrame(FrameCodec(log_.identity().salt()), frames_.at(position));
  }
  void OverwriteHalf(std::uint64_t position) { log_.Overwrite(position, NewBytes(position).substr(0, kLength / 2)); }
  void OverwriteEnd(std::uint64_t position) {
    log_.Overwrite(position + kLength / 2, NewBytes(position).substr(kLength / 2));
  }

  // The positions that count as being erased.
  std::vector<std::uint64_t> Scan(std::uint64_t from = 0) {
    segments_ = log_.Open();
    return ScanOn(from);
  }
  std::vector<std::uint64_t> ScanOn(std::uint64_t from) {
    auto end = FindLogEnd(*segments_, from);
    EXPECT_TRUE(end) << end.error().message;
    if (end) end_ = *std::move(end);
    std::vector<std::uint64_t> positions;
    for (const Tombstone& frame : segments_->erasures().all()) positions.push_back(frame.position);
    return positions;
  }
  void ExpectWhole() {
    EXPECT_EQ(end_.end, log_.position());
    EXPECT_TRUE(end_.damage.empty()) << ToString(end_.damage.front());
    EXPECT_FALSE(end_.lost_end);
    EXPECT_EQ(end_.torn_bytes, 0U);
  }
  // The frame type that a scanner returns at the position, after Scan.
  FrameType TypeAt(std::uint64_t position) {
    FrameScanner scanner(*segments_, position);
    const auto frame = scanner.Next();
    EXPECT_TRUE(frame && *frame && (*frame)->position == position);
    return frame && *frame ? (*frame)->header.type : FrameType::kSeal;
  }

  using Positions = std::vector<std::uint64_t>;
  HandMadeLog log_;
  std::map<std::uint64_t, Tombstone> frames_;
  std::unique_ptr<SegmentSet> segments_;
  LogEnd end_;
};

TEST_F(ErasureScanTest, AnnouncedFramesCountAsErasedBeforeTheyAreOverwritten) {
  const std::uint64_t first = Add(), second = Add();
  Announce({first});
  EXPECT_EQ(Scan(), Positions{first});
  ExpectWhole();
  EXPECT_EQ(TypeAt(first), FrameType::kTombstone);
  EXPECT_EQ(TypeAt(second), FrameType::kEvent);
}

TEST_F(ErasureScanTest, CompletedErasuresAreReadFromTheFrames) {
  const std::uint64_t first = Add(), second = Add();
  Announce({first});
  log_.Overwrite(first, NewBytes(first));
  Report();
  Announce({second});
  EXPECT_EQ(Scan(), Positions{second});
  EXPECT_EQ(TypeAt(first), FrameType::kTombstone);
}

// No checkpoint is between an erase intent and its completion: a reader that goes on at one need not read what it
// skips.
TEST_F(ErasureScanTest, WhatWasAnnouncedBeforeALaterBeginningIsComplete) {
  const std::uint64_t first = Add(), second = Add();
  Announce({first});
  EXPECT_EQ(Scan(), Positions{first});
  log_.Overwrite(first, NewBytes(first));
  Report();
  const std::uint64_t checkpoint = log_.position();
  Announce({second});
  EXPECT_EQ(ScanOn(checkpoint), Positions{second});
  ExpectWhole();
}

TEST_F(ErasureScanTest, AHalfOverwrittenFrameIsNoDamage) {
  const std::uint64_t first = Add();
  const std::uint64_t second = Add(log_.position());
  Add(log_.position());
  Announce({first, second});
  OverwriteHalf(first);
  OverwriteEnd(second);
  EXPECT_EQ(Scan(), (Positions{first, second}));
  ExpectWhole();
  EXPECT_EQ(TypeAt(first), FrameType::kTombstone);
  EXPECT_EQ(TypeAt(second), FrameType::kTombstone);
}

// The sync before overwriting made it durable, but no later claim covers it.
TEST_F(ErasureScanTest, AHalfOverwrittenFrameIsNoTornEndEither) {
  Add();
  const std::uint64_t second = Add();
  Add();
  Announce({second});
  OverwriteHalf(second);
  EXPECT_EQ(Scan(), Positions{second});
  ExpectWhole();
}

TEST_F(ErasureScanTest, HalfOverwrittenFramesOnBothSidesOfASegmentsEndAreNoDamage) {
  std::vector<std::uint64_t> positions;
  while (log_.position() + 2 * FrameBytes(kLength) < log_.extent(0).end()) Add();
  positions.push_back(Add());
  log_.Seal();
  log_.AddSegment();
  positions.push_back(Add());
  Announce(positions);
  for (const std::uint64_t position : positions) OverwriteHalf(position);
  EXPECT_EQ(Scan(), positions);
  ExpectWhole();
}

TEST_F(ErasureScanTest, OtherDamageIsStillFound) {
  const std::uint64_t first = Add(), second = Add();
  Add(log_.position());
  Announce({first});
  OverwriteHalf(first);
  OverwriteHalf(second);
  EXPECT_EQ(Scan(), Positions{first});
  ASSERT_EQ(end_.damage.size(), 1U);
  EXPECT_EQ(end_.damage[0].offset, second - log_.extent(0).base);
  EXPECT_EQ(end_.damage[0].length, FrameBytes(kLength));
}

// Its sync never returned, so nothing was overwritten: the erase intent is truncated with the torn tail.
TEST_F(ErasureScanTest, AnIntentAfterATornTailDoesNotCount) {
  const std::uint64_t first = Add(), second = Add(), third = Add();
  Announce({first, third});
  log_.Zero(second, FrameBytes(kLength));
  EXPECT_EQ(Scan(), Positions{});
  EXPECT_EQ(end_.end, second);
  EXPECT_GT(end_.torn_bytes, 0U);
  EXPECT_EQ(TypeAt(first), FrameType::kEvent);
}

TEST_F(ErasureScanTest, ATornIntentDoesNotCount) {
  const std::uint64_t first = Add();
  const std::uint64_t announcement = Announce({first});
  log_.Zero(announcement + kFrameHeaderBytes, 8);
  EXPECT_EQ(Scan(), Positions{});
  EXPECT_EQ(end_.end, announcement);
}

TEST_F(ErasureScanTest, AScanThatContinuesLaterKnowsEarlierIntents) {
  const std::uint64_t first = Add(), second = Add();
  Announce({first});
  segments_ = log_.Open();
  ASSERT_TRUE(FindLogEnd(*segments_, 0));
  const std::uint64_t from = log_.position();
  Add();
  ASSERT_TRUE(FindLogEnd(*segments_, from));
  EXPECT_EQ(TypeAt(first), FrameType::kTombstone);
  log_.Overwrite(first, NewBytes(first));
  Report();
  Announce({second});
  ASSERT_TRUE(FindLogEnd(*segments_, from));
  EXPECT_EQ(segments_->erasures().all().size(), 1U);
  EXPECT_EQ(TypeAt(second), FrameType::kTombstone);
}

// A reader that does not know the erase intent reads a half overwritten frame.
TEST_F(ErasureScanTest, AReaderLooksForIntentsBeforeItReportsDamage) {
  const std::uint64_t first = Add(), second = Add();
  SegmentSet segments(PosixFileSystem(), log_.folder(), log_.identity(), false);
  ASSERT_TRUE(segments.Refresh());
  ASSERT_TRUE(FindLogEnd(segments, 0));
  Announce({first});
  OverwriteHalf(first);
  FrameScanner scanner(segments, first);
  auto frame = NextOrRefresh(scanner, segments);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.type, FrameType::kTombstone);
  frame = NextOrRefresh(scanner, segments);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->position, second);
  EXPECT_EQ((*frame)->header.type, FrameType::kEvent);
}

}  // namespace
}  // namespace turnlog::erasure_scan_test
