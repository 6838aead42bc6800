#include "store/segments/frame_scanner.h"

#include <gtest/gtest.h>

#include "tests/store/hand_made_log.h"

namespace turnlog::frame_scanner_test {
namespace {

class FrameScannerTest : public testing::Test {
 protected:
  // Payloads from `from` on, up to the first position without a valid frame, which becomes `end_`.
  std::vector<std::string> Scan(std::uint64_t from = 0) {
    const auto segments = log_.Open();
    FrameScanner scanner(*segments, from);
    std::vector<std::string> payloads;
    for (;;) {
      const auto frame = scanner.Next();
      EXPECT_TRUE(frame) << frame.error().message;
      end_ = scanner.position();
      if (!frame || !*frame) return payloads;
      EXPECT_EQ((*frame)->end(), end_);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*frame)->payload.data()) % kFrameAlignment, 0U);
      payloads.emplace_back((*frame)->payload);
    }
  }

  using Payloads = std::vector<std::string>;
  HandMadeLog log_;
  std::uint64_t end_ = 0;
};

TEST_F(FrameScannerTest, AnEmptyLogHasNoFrames) {
  EXPECT_EQ(Scan(), Payloads());
  EXPECT_EQ(end_, log_.extent(0).first());
}

TEST_F(FrameScannerTest, FramesComeInOrderFromWherever) {
  log_.Add("one");
  const std::uint64_t second = log_.Add("two");
  log_.Add("");
  EXPECT_EQ(Scan(), (Payloads{"one", "two", ""}));
  EXPECT_EQ(Scan(second), (Payloads{"two", ""}));
  EXPECT_EQ(Scan(second + 8), Payloads());
  EXPECT_EQ(Scan(log_.position()), Payloads());
  EXPECT_EQ(end_, log_.position());
}

TEST_F(FrameScannerTest, SealsLeadToTheNextSegment) {
  log_.Add("one");
  log_.Seal();
  log_.AddSegment();
  log_.Add("two");
  EXPECT_EQ(Scan(), (Payloads{"one", "two"}));
}

TEST_F(FrameScannerTest, AScanStopsAtASealWithoutANextSegment) {
  log_.Add("one");
  const std::uint64_t seal = log_.Seal();
  EXPECT_EQ(Scan(), Payloads{"one"});
  EXPECT_EQ(end_, seal);
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, seal);
  EXPECT_TRUE(*scanner.SealHere());
  EXPECT_FALSE(*scanner.BlankFromHere());
}

TEST_F(FrameScannerTest, ASealLeadsToASegmentThatComesLater) {
  log_.Add("one");
  log_.Seal();
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, 0);
  EXPECT_TRUE(*scanner.Next());
  EXPECT_FALSE(*scanner.Next());
  log_.AddSegment();
  log_.Add("two");
  const auto frame = scanner.Next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->payload, "two");
}

TEST_F(FrameScannerTest, ARestTooSmallForASealIsSteppedOver) {
  for (std::uint64_t rest = 0; rest < kFrameHeaderBytes; rest += 8) {
    log_.Add(std::string(log_.kSegmentBytes - kSegmentHeaderBytes - kFrameHeaderBytes - rest, 'x'));
    log_.AddSegment();
    log_.Add(std::to_string(rest));
    log_.Seal();
    log_.AddSegment();
  }
  const Payloads payloads = Scan();
  ASSERT_EQ(payloads.size(), 8U);
  EXPECT_EQ(payloads[1], "0");
  EXPECT_EQ(payloads[7], "24");
}

TEST_F(FrameScannerTest, FramesLargerThanTheWindowComeWhole) {
  log_.Seal();
  log_.AddSegment(2 << 20);
  const std::string large(900'000, 'l');
  log_.Add("small");
  log_.Add(large);
  log_.Add("small");
  EXPECT_EQ(Scan(), (Payloads{"small", large, "small"}));
}

TEST_F(FrameScannerTest, WhatIsWrittenMeanwhileIsSeen) {
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, 0);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(*scanner.Next());
    log_.Add("new");
    const auto frame = scanner.Next();
    ASSERT_TRUE(frame && *frame) << i;
    EXPECT_EQ((*frame)->payload, "new");
  }
}

TEST_F(FrameScannerTest, ABrokenFrameStopsTheScanAndResyncFindsTheNext) {
  const std::uint64_t first = log_.Add("one");
  const std::uint64_t second = log_.Add(std::string(100, '2'));
  const std::uint64_t third = log_.Add("three");
  log_.Overwrite(second + 50, "?");
  EXPECT_EQ(Scan(), Payloads{"one"});
  EXPECT_EQ(end_, second);
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, second);
  ASSERT_TRUE(*scanner.Resync());
  EXPECT_EQ(scanner.position(), third);
  scanner = FrameScanner(*segments, first);
  ASSERT_TRUE(*scanner.Resync()) << "the broken one is not found";
  EXPECT_EQ(scanner.position(), third);
  EXPECT_FALSE(*scanner.Resync());
}

TEST_F(FrameScannerTest, AFrameInsideAPayloadIsInvalid) {
  std::string inner;
  FrameCodec(log_.identity().salt()).Append({}, "inner", Hash64("inner"), 8, inner);
  const std::uint64_t first = log_.Add(std::string(16, ' ') + inner);
  log_.Overwrite(first + 33, "?");
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, first);
  EXPECT_FALSE(*scanner.Resync()) << "it is not at its place";
}

TEST_F(FrameScannerTest, AMissingSegmentStopsTheScanAndResyncContinuesAfterIt) {
  log_.Add("one");
  log_.Seal();
  for (int i = 0; i < 2; ++i) {
    log_.AddSegment();
    log_.Add("more");
    log_.Seal();
  }
  std::filesystem::remove(log_.File(log_.extent(1).base));
  EXPECT_EQ(Scan(), Payloads{"one"});
  EXPECT_EQ(end_, log_.extent(1).base);
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, end_);
  const Damage damage = scanner.DamageHere(log_.extent(2).first(), "why");
  EXPECT_EQ(damage.file, "log/" + SegmentName(log_.extent(1).base));
  EXPECT_EQ(damage.offset, 0U);
  EXPECT_EQ(damage.length, log_.kSegmentBytes + kSegmentHeaderBytes);
  ASSERT_TRUE(*scanner.Resync());
  EXPECT_EQ(scanner.position(), log_.extent(2).first());
}

TEST_F(FrameScannerTest, DamageIsNamedByFileAndOffset) {
  log_.Seal();
  log_.AddSegment();
  const std::uint64_t at = log_.Add("x");
  const auto segments = log_.Open();
  const Damage damage = FrameScanner(*segments, at).DamageHere(at + 40, "why");
  EXPECT_EQ(damage.file, "log/" + SegmentName(log_.extent(1).base));
  EXPECT_EQ(damage.offset, kSegmentHeaderBytes);
  EXPECT_EQ(damage.length, 40U);
  EXPECT_EQ(damage.reason, "why");
}

TEST_F(FrameScannerTest, BlankIsWhatHoldsZerosToTheEndOfTheLastSegment) {
  log_.Add("one");
  const std::uint64_t end = log_.position();
  const auto blank = [&](std::uint64_t until) {
    const auto segments = log_.Open();
    FrameScanner scanner(*segments, end);
    const bool result = *scanner.BlankFromHere(until);
    EXPECT_EQ(scanner.position(), end) << "it does not move";
    return result;
  };
  EXPECT_TRUE(blank(UINT64_MAX));
  log_.AddSegment();
  EXPECT_TRUE(blank(UINT64_MAX));
  std::filesystem::resize_file(log_.File(0), end - log_.extent(0).base);
  EXPECT_TRUE(blank(UINT64_MAX)) << "what is behind a file's end counts as zero";
  log_.Overwrite(log_.extent(1).end() - 40, "x");
  EXPECT_FALSE(blank(UINT64_MAX));
  EXPECT_FALSE(blank(log_.extent(1).end() - 39));
  EXPECT_TRUE(blank(log_.extent(1).end() - 40));
  log_.AddSegment();
  std::filesystem::remove(log_.File(log_.extent(1).base));
  EXPECT_TRUE(blank(UINT64_MAX)) << "over the gap of a missing segment too";
  log_.Add("x");
  EXPECT_FALSE(blank(UINT64_MAX));
}

}  // namespace
}  // namespace turnlog::frame_scanner_test
