// Payloads compressed one by one.
#include "store/segments/payload_codec.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/coding.h"
#include "base/hash.h"
#include "schema/event/codec.h"
#include "store/segments/payload_dictionary.h"
#include "tests/store/deterministic_workload.h"
#include "turnlog/types.h"

namespace turnlog::payload_codec_test {
namespace {

struct Stored {
  std::uint8_t codec = kNoCodec;
  std::string payload;
};

Stored Packed(std::string_view payload, Compression compression, std::size_t least = 0) {
  std::string out(payload.size(), '\0');
  const PackedPayload packed = PayloadPacker(compression).Pack(payload, least, out);
  if (packed.codec == kNoCodec) return {.codec = kNoCodec, .payload = std::string(payload)};
  out.resize(packed.length);
  return {.codec = packed.codec, .payload = std::move(out)};
}

Frame FrameOf(const Stored& stored) {
  Frame frame{.header = {.length = static_cast<std::uint32_t>(stored.payload.size()), .codec = stored.codec},
              .position = 0,
              .payload = stored.payload};
  return frame;
}

// "damaged", "later", or the payload.
std::string Unpacked(const Stored& stored) {
  PayloadUnpacker unpacker;
  const auto payload = unpacker.Unpack(FrameOf(stored));
  if (payload) return std::string(*payload);
  return payload.error().code == ErrorCode::kUnsupportedVersion ? "later" : "damaged";
}

std::vector<std::string> Payloads() {
  std::vector<std::string> payloads;
  EventEncoder encoder;
  for (std::uint32_t conversation = 0; conversation < 10; ++conversation) {
    for (std::uint64_t seq = 1; seq <= 24; ++seq) {
      const Event event = EventAt(conversation, seq);
      payloads.emplace_back(encoder.Encode(View(event)));
    }
  }
  return payloads;
}

class PayloadCodecTest : public testing::TestWithParam<Compression> {};

INSTANTIATE_TEST_SUITE_P(All, PayloadCodecTest, testing::Values(Compression::kFast, Compression::kSmall));

TEST_P(PayloadCodecTest, GivesBackEveryPayload) {
  std::size_t before = 0, after = 0;
  for (const std::string& payload : Payloads()) {
    const Stored stored = Packed(payload, GetParam());
    EXPECT_LE(FrameBytes(stored.payload.size()), FrameBytes(payload.size()));
    EXPECT_EQ(Unpacked(stored), payload);
    EXPECT_EQ(UnpackedLength(FrameOf(stored)), payload.size());
    before += payload.size();
    after += stored.payload.size();
  }
  EXPECT_LT(after, before);
}

TEST_P(PayloadCodecTest, OnePackerForMany) {
  PayloadPacker packer(GetParam());
  for (const std::string& payload : Payloads()) {
    std::string out(payload.size(), '\0');
    const PackedPayload packed = packer.Pack(payload, 0, out);
    const Stored alone = Packed(payload, GetParam());
    ASSERT_EQ(packed.codec, alone.codec);
    if (packed.codec == kNoCodec) continue;
    EXPECT_EQ(out.substr(0, packed.length), alone.payload);
  }
}

TEST_P(PayloadCodecTest, LeavesWhatDoesNotGetSmaller) {
  std::string noise;
  for (std::uint64_t i = 0; noise.size() < 4000; ++i) AppendBig(noise, Hash64(std::to_string(i)));
  EXPECT_EQ(Packed(noise, GetParam()).codec, kNoCodec);
  EXPECT_EQ(Packed("", GetParam()).codec, kNoCodec);
  EXPECT_EQ(Packed("aaaaaaa", GetParam()).codec, kNoCodec);
  EXPECT_EQ(Packed(std::string(4000, 'a'), Compression::kNone).codec, kNoCodec);
}

TEST_P(PayloadCodecTest, IsNeverShorterThanItsTombstoneNeeds) {
  const std::string payload(2000, 'a');
  const std::size_t shortest = Packed(payload, GetParam()).payload.size();
  ASSERT_LT(shortest, 40U);
  for (std::size_t least = 1; least < 200; ++least) {
    const Stored stored = Packed(payload, GetParam(), least);
    EXPECT_EQ(stored.payload.size(), std::max(least, shortest));
    EXPECT_EQ(Unpacked(stored), payload);
  }
}

TEST_P(PayloadCodecTest, IsDamagedWhereItIsCut) {
  const std::string payload = Payloads()[5];
  const Stored stored = Packed(payload, GetParam(), 100);
  ASSERT_NE(stored.codec, kNoCodec);
  for (std::size_t length = 0; length < stored.payload.size(); ++length) {
    EXPECT_NE(Unpacked({.codec = stored.codec, .payload = stored.payload.substr(0, length)}), payload);
  }
}

TEST_P(PayloadCodecTest, AnyChangedByteIsDamageOrAnotherTextOfTheSameLength) {
  const std::string payload = Payloads()[5];
  Stored stored = Packed(payload, GetParam());
  ASSERT_NE(stored.codec, kNoCodec);
  for (char& byte : stored.payload) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      byte = static_cast<char>(byte ^ change);
      const std::string read = Unpacked(stored);
      if (read != "damaged" && read != "later") {
        EXPECT_EQ(read.size(), UnpackedLength(FrameOf(stored)));
      }
      byte = static_cast<char>(byte ^ change);
    }
  }
}

TEST_P(PayloadCodecTest, AnotherDictionaryIsOfALaterVersion) {
  Stored stored = Packed(std::string(100, 'a'), GetParam());
  ASSERT_EQ(stored.payload[0], 100);
  ASSERT_EQ(stored.payload[1], kDictionaryVersion);
  stored.payload[1] = kDictionaryVersion + 1;
  EXPECT_EQ(Unpacked(stored), "later");
}

TEST_P(PayloadCodecTest, RefusesALengthThatNoEventHas) {
  for (const std::uint64_t length : {std::uint64_t{0}, kMaxEventBytes + 1, UINT64_MAX}) {
    Stored stored = Packed(std::string(100, 'a'), GetParam());
    std::string head;
    AppendVarint(head, length);
    stored.payload.replace(0, 1, head);
    EXPECT_EQ(Unpacked(stored), "damaged");
  }
}

TEST(PayloadDictionaryTest, IsFrozen) {
  EXPECT_EQ(PayloadDictionary().size(), 32768U);
  EXPECT_EQ(Hash64(PayloadDictionary()), 0xB73AF4E0A775C3D4U);
}

}  // namespace
}  // namespace turnlog::payload_codec_test
