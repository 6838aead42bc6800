// Torn tail or damage: hand-made segments with every kind of end, and the expected result.
#include "store/segments/log_end.h"

#include <gtest/gtest.h>

#include "store/segments/frame_scanner.h"
#include "tests/store/hand_made_log.h"

namespace turnlog::log_end_test {
namespace {

class LogEndTest : public testing::Test {
 protected:
  LogEnd Find(std::uint64_t from = 0) {
    const auto segments = log_.Open();
    auto end = FindLogEnd(*segments, from);
    EXPECT_TRUE(end) << end.error().message;
    return end ? *std::move(end) : LogEnd{};
  }
  void Cut(std::uint64_t end) {
    const auto segments = log_.Open();
    const Status cut = TruncateTornTail(*segments, end);
    ASSERT_TRUE(cut) << cut.error().message;
  }
  void ExpectTorn(std::uint64_t end) {
    const LogEnd found = Find();
    EXPECT_EQ(found.end, end);
    EXPECT_GT(found.torn_bytes, 0U);
    EXPECT_TRUE(found.damage.empty()) << ToString(found.damage.front());
    EXPECT_FALSE(found.lost_end) << ToString(*found.lost_end);
  }
  void ExpectWhole(std::uint64_t end) {
    const LogEnd found = Find();
    EXPECT_EQ(found.end, end);
    EXPECT_EQ(found.torn_bytes, 0U);
    EXPECT_TRUE(found.damage.empty()) << ToString(found.damage.front());
    EXPECT_FALSE(found.lost_end) << ToString(*found.lost_end);
  }
  // Everything up to `end` is intact except one hole.
  void ExpectHole(std::uint64_t hole, std::uint64_t end, std::size_t segment = 0) {
    const LogEnd found = Find();
    EXPECT_EQ(found.end, end);
    ASSERT_EQ(found.damage.size(), 1U);
    EXPECT_EQ(found.damage[0].file, "log/" + SegmentName(log_.extent(segment).base));
    EXPECT_EQ(found.damage[0].offset, hole - log_.extent(segment).base);
  }
  void ExpectLostEnd(std::uint64_t end, std::uint64_t lost, std::size_t segment = 0) {
    const LogEnd found = Find();
    EXPECT_EQ(found.end, end);
    ASSERT_TRUE(found.lost_end);
    EXPECT_EQ(found.lost_end->file, "log/" + SegmentName(log_.extent(segment).base));
    EXPECT_EQ(found.lost_end->offset, lost - log_.extent(segment).base);
  }
  void Close(std::size_t segment) {
    std::filesystem::resize_file(log_.File(log_.extent(segment).base), log_.position() - log_.extent(segment).base);
  }

  HandMadeLog log_;
};

TEST_F(LogEndTest, AnEmptyLogEndsWhereItBegins) { ExpectWhole(0); }

TEST_F(LogEndTest, EndsAfterTheLastAppend) {
  log_.Add("one");
  log_.Add("two");
  ExpectWhole(log_.position());
}

TEST_F(LogEndTest, IsFoundFromAnywhere) {
  log_.Add("one");
  const std::uint64_t middle = log_.position();
  log_.Add("two");
  EXPECT_EQ(Find(middle).end, log_.position());
  EXPECT_EQ(Find(log_.position()).end, log_.position());
}

TEST_F(LogEndTest, AnAppendThatIsNotWholeIsTorn) {
  log_.Add("whole");
  const std::uint64_t end = log_.position();
  log_.Add("part", {}, true);
  log_.Add("part", {}, true);
  ExpectTorn(end);
  log_.Add("last part");
  ExpectWhole(log_.position());
}

TEST_F(LogEndTest, GarbageIsTorn) {
  log_.Add("whole");
  const std::uint64_t end = log_.position();
  log_.Overwrite(end, std::string(100, '\x5A'));
  ExpectTorn(end);
  log_.Zero(end, 100);
  log_.Overwrite(end + 2'000, "far behind");
  ExpectTorn(end);
}

// Pages of unsynced appends reach the disk in any order.
TEST_F(LogEndTest, AValidFrameAfterAHoleIsTornUnlessAClaimCoversTheHole) {
  log_.Add("whole");
  const std::uint64_t hole = log_.position();
  log_.Add("lost", hole);
  log_.Add("kept", hole);
  log_.Add("kept, and claims nothing");
  log_.Zero(hole, 40);
  ExpectTorn(hole);
}

TEST_F(LogEndTest, AHoleThatALaterFrameCallsDurableIsDamage) {
  log_.Add("whole");
  const std::uint64_t hole = log_.position();
  log_.Add("lost");
  const std::uint64_t behind = log_.position();
  log_.Add("claims nothing");
  log_.Add("claims just less", hole);
  log_.Zero(hole, 40);
  ExpectTorn(hole);
  log_.Add("claims the hole", behind);
  ExpectHole(hole, log_.position());
}

TEST_F(LogEndTest, EveryHoleIsNamed) {
  std::vector<std::uint64_t> holes;
  for (int i = 0; i < 3; ++i) {
    log_.Add("kept", log_.position());
    holes.push_back(log_.Add("lost", log_.position()));
    log_.Add("kept", log_.position());
  }
  for (const std::uint64_t hole : holes) log_.Zero(hole, 40);
  const LogEnd found = Find();
  ASSERT_EQ(found.damage.size(), 3U);
  EXPECT_EQ(found.damage[2].offset, holes[2] - log_.extent(0).base);
  EXPECT_EQ(found.end, log_.position());
}

TEST_F(LogEndTest, DamageAndATornEndAreBothFound) {
  const std::uint64_t hole = log_.Add("lost");
  log_.Add("kept", log_.position());
  const std::uint64_t end = log_.position();
  log_.Zero(hole, 40);
  log_.Overwrite(end, "torn");
  const LogEnd found = Find();
  EXPECT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(found.end, end);
  EXPECT_GT(found.torn_bytes, 0U);
}

TEST_F(LogEndTest, ReturnsTheHighestDurableClaim) {
  const std::uint64_t first = log_.Add("one");
  EXPECT_EQ(Find().durable, 0U);
  log_.Add("two", first);
  log_.Add("three");
  EXPECT_EQ(Find().durable, first);
}

// --- Segments ---

TEST_F(LogEndTest, GoesThroughSealsAndExactBorders) {
  log_.Add("one");
  log_.Seal();
  log_.AddSegment();
  log_.Add(std::string(log_.kSegmentBytes - kSegmentHeaderBytes - kFrameHeaderBytes, 'x'));
  ExpectWhole(log_.extent(1).end());
  log_.AddSegment();
  ExpectWhole(log_.extent(1).end());
  log_.Add("two");
  ExpectWhole(log_.position());
}

TEST_F(LogEndTest, ASealBeforeAnEmptySegmentIsNoAppend) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Seal();
  log_.AddSegment();
  ExpectWhole(end);
}

TEST_F(LogEndTest, ASealWithoutItsSegmentIsDamage) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Seal();
  log_.AddSegment();
  std::filesystem::remove(log_.File(log_.extent(1).base));
  ExpectLostEnd(end, log_.extent(1).base, 1);
}

TEST_F(LogEndTest, AnAppendThatContinuesInAMissingSegmentIsDamage) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Add(std::string(log_.extent(0).end() - end - kFrameHeaderBytes - 24, 'x'), {}, true);
  log_.AddSegment();
  log_.Add("more");
  ExpectWhole(log_.position());
  std::filesystem::remove(log_.File(log_.extent(1).base));
  ExpectLostEnd(end, log_.extent(1).base, 1);
}

TEST_F(LogEndTest, AMissingSegmentIsDamageIfALaterFrameCallsItDurable) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Seal();
  log_.AddSegment();
  log_.Add("lost");
  log_.Seal();
  log_.AddSegment();
  log_.Add("kept");
  std::filesystem::remove(log_.File(log_.extent(1).base));
  ExpectTorn(end);
  log_.Add("claims it", log_.extent(2).base);
  ExpectHole(log_.extent(1).base, log_.position(), 1);
}

TEST_F(LogEndTest, AHoleIsNamedInItsSegmentAlthoughTheNextFrameIsInAnother) {
  log_.Add("one");
  const std::uint64_t hole = log_.position();
  log_.Add("lost");
  log_.Seal();
  log_.AddSegment();
  log_.Add("claims it", log_.extent(1).base);
  log_.Zero(hole, log_.extent(0).end() - hole);
  ExpectHole(hole, log_.position());
}

// --- A log that was closed ---

TEST_F(LogEndTest, AClosedLogIsWhole) {
  log_.Add("one");
  Close(0);
  ExpectWhole(log_.position());
}

TEST_F(LogEndTest, WhatIsBrokenInAClosedLogHadBeenDurable) {
  log_.Add("one");
  const std::uint64_t hole = log_.Add("two");
  Close(0);
  log_.Overwrite(hole + 33, "?");
  ExpectLostEnd(hole, hole);
}

TEST_F(LogEndTest, WhatIsBrokenInAnEarlierSegmentOfAClosedLogHadBeenDurable) {
  const std::uint64_t hole = log_.Add("two");
  log_.Seal();
  log_.AddSegment();
  log_.Add("three");
  Close(1);
  log_.Overwrite(hole + 33, "?");
  ExpectLostEnd(0, hole);
}

TEST_F(LogEndTest, AClosedLogThatEndsWithinAnAppendHasBeenCutSince) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Add("part", {}, true);
  Close(0);
  ExpectLostEnd(end, log_.position());
}

// A writer was killed while it extended the truncated segment of a closed log.
TEST_F(LogEndTest, ALogThatIsBeingOpenedAgainMayHaveAnyLength) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  std::filesystem::resize_file(log_.File(0), end + 333);
  ExpectWhole(end);
}

// --- Cutting ---

TEST_F(LogEndTest, WhatIsCutIsZeroAndTheSegmentAsLongAsItWas) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Overwrite(end, std::string(3'000, 't'));
  log_.AddSegment();
  log_.Add("stale");
  Cut(end);
  ExpectWhole(end);
  EXPECT_EQ(std::filesystem::file_size(log_.File(0)), log_.kSegmentBytes);
  EXPECT_FALSE(std::filesystem::exists(log_.File(log_.extent(1).base)));
}

TEST_F(LogEndTest, CutsTheWholeLog) {
  const std::uint64_t first = log_.Add("torn");
  log_.Overwrite(first, "?");
  log_.AddSegment();
  Cut(0);
  ExpectWhole(0);
}

// A frame of the torn tail is exactly at the end of the next append.
TEST_F(LogEndTest, AFrameOfATornEndDoesNotComeBack) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  log_.Add("torn");
  const std::uint64_t stale = log_.Add("valid, and never acknowledged");
  log_.Overwrite(end + 33, "?");
  ExpectTorn(end);
  Cut(end);
  log_.MoveTo(end);
  log_.Add("next");
  ASSERT_EQ(log_.position(), stale) << "or the test does not test";
  ExpectWhole(stale);
}

TEST_F(LogEndTest, WritingAgainLeavesTheBytesAsTheyAre) {
  log_.Add("one");
  log_.Seal();
  log_.AddSegment();
  log_.Add("two");
  const std::string first = *ReadFile(PosixFileSystem(), log_.File(0));
  const std::string second = *ReadFile(PosixFileSystem(), log_.File(log_.extent(1).base));
  const auto segments = log_.Open();
  for (const std::uint64_t from :
       {std::uint64_t{0}, log_.extent(0).first() + 8, log_.extent(1).base, log_.position()}) {
    ASSERT_TRUE(RewriteUnsynced(*segments, from, log_.position()));
  }
  EXPECT_EQ(*ReadFile(PosixFileSystem(), log_.File(0)), first);
  EXPECT_EQ(*ReadFile(PosixFileSystem(), log_.File(log_.extent(1).base)), second);
}

TEST_F(LogEndTest, AMarkIsTheEndOfItsLastAppend) {
  log_.Add("first", {}, true);
  const std::uint64_t middle = log_.position();
  const std::uint64_t last = log_.Add("second");
  const std::uint64_t end = log_.position();
  log_.Add("third");
  const auto segments = log_.Open();
  const auto mark_at = [&](std::uint64_t position) {
    FrameScanner scanner(*segments, position);
    const auto frame = scanner.Next();
    EXPECT_TRUE(frame && *frame != nullptr);
    return LogOffset{(*frame)->end(), {position, log_.codec().Check(**frame)}};
  };
  const auto is_end = [&](const LogOffset& mark) {
    const auto is = IsEndOfAppend(*segments, mark);
    EXPECT_TRUE(is) << is.error().message;
    return is && *is;
  };
  const LogOffset mark = mark_at(last);
  EXPECT_EQ(mark.end, end);
  EXPECT_TRUE(is_end(mark));
  EXPECT_FALSE(is_end(mark_at(log_.extent(0).first()))) << "the append goes on";
  EXPECT_FALSE(is_end({end + kFrameAlignment, mark.tail})) << "not the end of that frame";
  EXPECT_FALSE(is_end({end, {last, mark.tail.fingerprint + 1}})) << "another frame";
  EXPECT_FALSE(is_end({end, {middle + kFrameAlignment, mark.tail.fingerprint}})) << "no frame";
  EXPECT_FALSE(is_end({end + (1 << 20), {end + (1 << 20) - 64, mark.tail.fingerprint}})) << "after the log";
  log_.Flip(last + kFrameHeaderBytes);
  EXPECT_FALSE(is_end(mark)) << "damaged";
}

}  // namespace
}  // namespace turnlog::log_end_test
