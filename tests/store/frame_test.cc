#include "store/segments/frame.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/coding.h"

namespace turnlog::frame_test {
namespace {

constexpr std::uint64_t kPosition = 40'960;
constexpr std::uint64_t kRoom = 1'000;

const FrameHeader kHeader{.kind = EventKind::kInquiryRequest,
                          .batch_continues = true,
                          .conversation = 0xA1B2C3D4,
                          .durable_back = 17,
                          .seq = 0x112233445566};

// Runs with frames of every format version.
class FrameTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  FrameCodec Codec(std::uint64_t salt = 1) const { return FrameCodec(salt, GetParam()); }
  std::string Encode(const FrameHeader& header, std::string_view payload, std::uint64_t position = kPosition) const {
    std::string bytes;
    Codec().Append(header, payload, Hash64(payload), position, bytes);
    return bytes;
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, FrameTest, testing::Range(kOldestFormatVersion, kFormatVersion + 1));

std::string EncodeNow(const FrameHeader& header, std::string_view payload) {
  std::string bytes;
  FrameCodec(1).Append(header, payload, Hash64(payload), kPosition, bytes);
  return bytes;
}

TEST_P(FrameTest, IsReadAsItWasWritten) {
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 300U}) {
    const std::string payload(length, 'p');
    const std::string bytes = Encode(kHeader, payload);
    EXPECT_EQ(bytes.size(), FrameBytes(length));
    const auto frame = Codec().Read(bytes, kRoom, kPosition);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->payload, payload);
    EXPECT_EQ(frame->position, kPosition);
    EXPECT_EQ(frame->end(), kPosition + bytes.size());
    EXPECT_EQ(frame->header.length, length);
    EXPECT_EQ(frame->header.type, FrameType::kEvent);
    EXPECT_EQ(frame->header.kind, kHeader.kind);
    EXPECT_TRUE(frame->header.batch_continues);
    EXPECT_EQ(frame->header.conversation, kHeader.conversation);
    EXPECT_EQ(frame->header.durable_back, kHeader.durable_back);
    EXPECT_EQ(frame->header.seq, kHeader.seq);
    EXPECT_FALSE(frame->header.NeedsLaterVersion());
  }
}

TEST_P(FrameTest, BytesAreAHeaderThePayloadAndZerosUpToEight) {
  EXPECT_EQ(FrameBytes(0), 32U);
  EXPECT_EQ(FrameBytes(1), 40U);
  EXPECT_EQ(FrameBytes(8), 40U);
  EXPECT_EQ(FrameBytes(9), 48U);
  EXPECT_EQ(FrameBytes(std::numeric_limits<std::uint32_t>::max()), (std::uint64_t{1} << 32) + 32);
  EXPECT_EQ(Encode(kHeader, "abc").substr(kFrameHeaderBytes), std::string("abc\0\0\0\0\0", 8));
}

TEST_P(FrameTest, IsAppendedToTheBuffer) {
  std::string bytes = "12345678";
  Codec().Append(kHeader, "x", Hash64("x"), kPosition, bytes);
  EXPECT_EQ(bytes, "12345678" + Encode(kHeader, "x"));
}

// The padding once moved a large record into a buffer of twice its size.
TEST_P(FrameTest, ALargeOneGrowsTheBufferOnce) {
  const std::string payload((1 << 20) + 1, 'p');
  std::string bytes;
  Codec().Append(kHeader, payload, Hash64(payload), kPosition, bytes);
  EXPECT_LT(bytes.capacity(), payload.size() + 4096);
}

TEST_P(FrameTest, AnyFlippedBitOfHeaderOrPayloadIsNoticed) {
  const std::string payload = "some payload";
  const std::string sound = Encode(kHeader, payload);
  for (std::size_t byte = 0; byte < sound.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = sound;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
      const auto frame = Codec().Read(bytes, kRoom, kPosition);
      const bool padding = byte >= kFrameHeaderBytes + payload.size();
      EXPECT_EQ(frame.has_value(), padding) << "byte " << byte << " bit " << bit;
      EXPECT_EQ(frame ? frame->payload : payload, payload);
    }
  }
}

TEST_P(FrameTest, IsValidOnlyInItsStoreAndAtItsPosition) {
  const std::string bytes = Encode(kHeader, "payload");
  EXPECT_TRUE(Codec().Read(bytes, kRoom, kPosition));
  EXPECT_FALSE(Codec().Read(bytes, kRoom, kPosition + 8));
  EXPECT_FALSE(Codec().Read(bytes, kRoom, kPosition + 4'096));
  EXPECT_FALSE(Codec().Read(bytes, kRoom, 0));
  EXPECT_FALSE(Codec(2).Read(bytes, kRoom, kPosition));
}

TEST_P(FrameTest, IsValidOnlyInASegmentOfItsVersion) {
  for (std::uint32_t other = kOldestFormatVersion; other <= kFormatVersion; ++other) {
    const auto frame = FrameCodec(1, other).Read(Encode(kHeader, "payload"), kRoom, kPosition);
    EXPECT_EQ(frame.has_value(), other == GetParam());
  }
}

TEST_P(FrameTest, NeedsAllItsBytesAndFitsIntoItsSegment) {
  const std::string bytes = Encode(kHeader, "payload");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(Codec().Read(bytes.substr(0, length), kRoom, kPosition)) << length;
  }
  EXPECT_TRUE(Codec().Read(bytes, bytes.size(), kPosition));
  EXPECT_FALSE(Codec().Read(bytes, bytes.size() - 1, kPosition));
  EXPECT_FALSE(Codec().Read(bytes, 0, kPosition));
}

TEST_P(FrameTest, ZerosAndOnesAreNoHeader) {
  EXPECT_FALSE(Codec().ReadHeader(std::string(kFrameHeaderBytes, '\0'), UINT64_MAX, kPosition));
  EXPECT_FALSE(Codec().ReadHeader(std::string(kFrameHeaderBytes, '\xFF'), UINT64_MAX, kPosition));
  EXPECT_FALSE(Codec().ReadHeader(Encode(kHeader, "").substr(0, kFrameHeaderBytes - 1), kRoom, kPosition));
}

TEST(FrameV1Test, HeadersThatCannotBeAreSeenBeforeAnythingIsHashed) {
  std::string sound;
  FrameCodec(1, 1).Append(kHeader, "payload", Hash64("payload"), kPosition, sound);
  const auto with = [&](std::size_t at, char value) {
    std::string bytes = sound;
    bytes[at] = value;
    return FrameCodec(1, 1).ReadHeader(bytes, kRoom, kPosition).has_value();
  };
  EXPECT_TRUE(with(12, 1));
  EXPECT_FALSE(with(12, 0)) << "type";
  EXPECT_TRUE(with(12, 8));
  EXPECT_FALSE(with(12, 9)) << "type";
  EXPECT_FALSE(with(12, '\xFF')) << "type";
  EXPECT_FALSE(with(14, 2)) << "flags";
  EXPECT_FALSE(with(15, 1)) << "flags";
  EXPECT_FALSE(with(11, 1)) << "a length of 16 MiB";
}

TEST(FrameV2Test, AHeaderIsCheckedByItself) {
  const FrameCodec codec(1);
  const std::string sound = EncodeNow(kHeader, "payload").substr(0, kFrameHeaderBytes);
  ASSERT_TRUE(codec.ReadHeader(sound, kRoom, kPosition));
  EXPECT_FALSE(codec.ReadHeader(sound, kRoom, kPosition + 8)) << "at another position";
  EXPECT_FALSE(FrameCodec(2).ReadHeader(sound, kRoom, kPosition)) << "in another store";
  for (std::size_t byte = 0; byte < sound.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = sound;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
      const bool of_the_frame = byte < 8;
      EXPECT_EQ(codec.ReadHeader(bytes, kRoom, kPosition).has_value(), of_the_frame) << byte << " bit " << bit;
    }
  }
}

TEST(FrameV2Test, TheLargestSeqFits) {
  FrameHeader header = kHeader;
  header.seq = kMaxSeq;
  const auto frame = FrameCodec(1).Read(EncodeNow(header, "x"), kRoom, kPosition);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header.seq, kMaxSeq);
  EXPECT_EQ(frame->header.kind, kHeader.kind);
}

TEST(FrameV2Test, CodecsAndTypesOfLaterVersionsAreSoundFrames) {
  FrameHeader header = kHeader;
  for (header.codec = kLastCodec + 1; header.codec < 8; ++header.codec) {
    const auto frame = FrameCodec(1).Read(EncodeNow(header, "compressed"), kRoom, kPosition);
    ASSERT_TRUE(frame);
    EXPECT_TRUE(frame->header.NeedsLaterVersion());
    EXPECT_EQ(frame->header.codec, header.codec);
  }
  // Nothing but events is compressed.
  header.codec = kZstdCodec;
  for (const FrameType type : {FrameType::kConversation, FrameType::kSeal, FrameType::kEraseIntent,
                               FrameType::kEraseComplete, FrameType::kClaim}) {
    header.type = type;
    EXPECT_TRUE(header.NeedsLaterVersion());
  }
  header.codec = kNoCodec;
  for (const int type : {10, 15}) {
    header.type = static_cast<FrameType>(type);
    const auto frame = FrameCodec(1).Read(EncodeNow(header, "?"), kRoom, kPosition);
    ASSERT_TRUE(frame);
    EXPECT_TRUE(frame->header.NeedsLaterVersion());
  }
}

TEST(FrameHeaderTest, AClaimOfDurabilityCountsBackFromTheFrame) {
  FrameHeader header;
  EXPECT_FALSE(header.DurableClaim(kPosition)) << "claims nothing unless told";
  header.durable_back = 0;
  EXPECT_EQ(header.DurableClaim(kPosition), kPosition);
  header.durable_back = 5;
  EXPECT_EQ(header.DurableClaim(kPosition), kPosition - 40);
  EXPECT_EQ(header.DurableClaim(40), 0U);
  EXPECT_FALSE(header.DurableClaim(32)) << "before the beginning of the log";
}

TEST_P(FrameTest, TheFingerprintDistinguishesFramesAndSurvivesErasure) {
  const auto check = [&](const FrameHeader& header, std::string_view payload, std::uint64_t position = kPosition) {
    return Codec().Check(*Codec().Read(Encode(header, payload, position), kRoom, position));
  };
  const std::uint64_t sound = check(kHeader, "payload");
  EXPECT_EQ(check(kHeader, "erased!"), sound);
  EXPECT_NE(check(kHeader, "payload", kPosition + 8), sound);
  EXPECT_NE(check(kHeader, "payloads"), sound) << "another length";
  FrameHeader other = kHeader;
  other.seq += 1;
  EXPECT_NE(check(other, "payload"), sound);
  other = kHeader;
  other.conversation += 1;
  EXPECT_NE(check(other, "payload"), sound);
}

TEST(FrameHeaderTest, TheFingerprintIsTheSameInAllVersions) {
  FrameHeader header = kHeader;
  header.length = 7;
  const Frame frame{header, kPosition, {}};
  EXPECT_EQ(FrameCodec(1, 1).Check(frame), FrameCodec(1, 2).Check(frame));
}

}  // namespace
}  // namespace turnlog::frame_test
