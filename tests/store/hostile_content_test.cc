// Contents full of bytes that look like frame headers: the cost of finding the next record after them, in bytes hashed,
// not in time.
#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/segments/frame_scanner.h"
#include "store/segments/log_end.h"
#include "tests/store/hand_made_log.h"

namespace turnlog::hostile_content_test {
namespace {

constexpr std::uint64_t kSegmentBytes = 4 << 20;
constexpr std::size_t kContentBytes = 480 << 10;

// Valid UTF-8 (NULs are): at every 8 bytes a header of version 1 whose length reaches as far as most of the content.
std::string LooksLikeVersion1() {
  std::string content(kContentBytes, '\0');
  for (std::size_t at = 0; at + 8 <= content.size(); at += 8) {
    StoreLittle(content.data() + at, std::uint32_t{0x00060000});  // length
    StoreLittle(content.data() + at + 4, std::uint8_t{1});        // type
  }
  return content;
}

// Headers of version 2 with valid checks, forged with knowledge of the store's id and the content's offset.
std::string LooksLikeVersion2(const HandMadeLog& log) {
  const std::string payload(kContentBytes, 'p');
  std::string content, frame;
  while (content.size() + kFrameHeaderBytes <= kContentBytes) {
    frame.clear();
    log.codec().Append({.conversation = 1, .seq = 1},
                       std::string_view(payload).substr(content.size() + kFrameHeaderBytes), 0,
                       log.position() + kFrameHeaderBytes + content.size(), frame);
    content.append(frame, 0, kFrameHeaderBytes);
  }
  return content;
}

class HostileContentTest : public testing::Test {
 protected:
  enum class Damaged { kHeader, kPayload };

  HostileContentTest() {
    log_.Seal();
    log_.AddSegment(kSegmentBytes);
  }
  // The content in a damaged record, and an intact record after it.
  void Write(const std::string& content, Damaged damaged) {
    at_ = log_.Add(content);
    behind_ = log_.Add("behind");
    log_.Flip(at_ + (damaged == Damaged::kHeader ? 20 : kFrameHeaderBytes + 3));
  }
  // 32 bytes for every 8 of the segment, and a few times the content.
  static void ExpectLinear(std::uint64_t hashed) { EXPECT_LE(hashed, 6 * kSegmentBytes); }

  HandMadeLog log_;
  std::uint64_t at_ = 0, behind_ = 0;
};

TEST_F(HostileContentTest, IsSkippedAtLinearCost) {
  for (const bool version1 : {true, false}) {
    for (const Damaged damaged : {Damaged::kHeader, Damaged::kPayload}) {
      Write(version1 ? LooksLikeVersion1() : LooksLikeVersion2(log_), damaged);
      const auto segments = log_.Open();
      FrameScanner scanner(*segments, at_);
      ASSERT_TRUE(*scanner.Resync());
      EXPECT_EQ(scanner.position(), behind_);
      ExpectLinear(scanner.hashed_bytes());
    }
  }
}

TEST_F(HostileContentTest, IsFoundToBeATearOrDamageAtLinearCost) {
  Write(LooksLikeVersion2(log_), Damaged::kHeader);
  const auto segments = log_.Open();
  const auto torn = FindLogEnd(*segments, 0);
  ASSERT_TRUE(torn);
  EXPECT_GT(torn->torn_bytes, 0U);
  ExpectLinear(torn->hashed_bytes);
  log_.Add("claims it", behind_);
  const auto damaged = FindLogEnd(*segments, 0);
  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged->damage.size(), 1U);
  EXPECT_EQ(damaged->end, log_.position());
  ExpectLinear(damaged->hashed_bytes);
}

// Only the claim of the last record covers the holes: it is searched once, not once for each hole.
TEST_F(HostileContentTest, ManyHolesAreFoundAtLinearCost) {
  std::vector<std::uint64_t> holes;
  const std::uint64_t first = log_.position();
  for (int i = 0; i < 200; ++i) {
    holes.push_back(log_.Add(std::string(1'000, 'x')));
    log_.Add(std::string(1'000, 'y'));
  }
  log_.Add("claims all", log_.position());
  for (const std::uint64_t hole : holes) log_.Overwrite(hole + 16, "??");
  const auto segments = log_.Open();
  const auto end = FindLogEnd(*segments, 0);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->damage.size(), holes.size());
  EXPECT_EQ(end->end, log_.position());
  EXPECT_LE(end->hashed_bytes, 12 * (log_.position() - first));
}

TEST_F(HostileContentTest, ADamagedPayloadWithAnIntactHeaderIsNamedExactly) {
  Write(LooksLikeVersion2(log_), Damaged::kPayload);
  const auto segments = log_.Open();
  FrameScanner scanner(*segments, at_);
  ASSERT_FALSE(*scanner.Next());
  const auto found = scanner.StepOver(UINT64_MAX);
  ASSERT_TRUE(found && *found);
  ASSERT_TRUE((*found)->header);
  EXPECT_EQ((*found)->header->conversation, 1U);
  EXPECT_EQ((*found)->damage.seq, 1U);
  EXPECT_EQ((*found)->damage.offset, at_ - log_.extent(1).base);
  EXPECT_EQ((*found)->damage.length, behind_ - at_);
  EXPECT_EQ(scanner.position(), behind_);
}

}  // namespace
}  // namespace turnlog::hostile_content_test
