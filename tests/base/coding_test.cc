#include "base/coding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace turnlog::coding_test {
namespace {

std::vector<std::uint64_t> Values() {
  std::vector<std::uint64_t> values{0, UINT64_MAX};
  for (int bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t delta : {0U, 1U}) {
      values.push_back((std::uint64_t{1} << bit) - delta);
      values.push_back((std::uint64_t{1} << bit) + delta);
    }
  }
  return values;
}

TEST(Coding, VarintsComeBackAndTakeSevenBitsAByte) {
  for (const std::uint64_t value : Values()) {
    std::string bytes;
    AppendVarint(bytes, value);
    EXPECT_EQ(bytes.size(), value == 0 ? 1U : (static_cast<unsigned>(std::bit_width(value)) + 6) / 7) << value;
    Decoder in{bytes};
    EXPECT_EQ(in.Varint(), value);
    EXPECT_TRUE(in.ok && in.bytes.empty());
  }
}

TEST(Coding, ZigZagKeepsSmallNumbersSmall) {
  EXPECT_EQ(ZigZag(0), 0U);
  EXPECT_EQ(ZigZag(-1), 1U);
  EXPECT_EQ(ZigZag(1), 2U);
  for (const std::uint64_t value : Values()) {
    const auto number = static_cast<std::int64_t>(value);
    EXPECT_EQ(UnZigZag(ZigZag(number)), number);
  }
}

TEST(Coding, BigEndianKeysSortAsTheirNumbers) {
  std::vector<std::uint64_t> values = Values();
  std::ranges::sort(values);
  std::string last;
  for (const std::uint64_t value : values) {
    std::string key;
    AppendBig(key, value);
    EXPECT_EQ(key.size(), 8U);
    EXPECT_LE(last, key);
    EXPECT_EQ(LoadBig<std::uint64_t>(key.data()), value);
    last = key;
  }
  std::string narrow;
  AppendBig(narrow, std::uint32_t{0x01020304});
  EXPECT_EQ(narrow, "\x01\x02\x03\x04");
}

TEST(Coding, LittleEndianNeedsNoAlignment) {
  std::string bytes(16, '\0');
  StoreLittle(bytes.data() + 3, std::uint64_t{0x0102030405060708});
  EXPECT_EQ(bytes.substr(3, 8), "\x08\x07\x06\x05\x04\x03\x02\x01");
  EXPECT_EQ(LoadLittle<std::uint64_t>(bytes.data() + 3), 0x0102030405060708U);
  EXPECT_EQ(LoadLittle<std::uint16_t>(bytes.data() + 3), 0x0708U);
}

TEST(Decoder, TakesOneValueAfterTheOther) {
  std::string bytes;
  AppendVarint(bytes, 300);
  AppendText(bytes, "text");
  AppendText(bytes, "");
  bytes += "raw";
  Decoder in{bytes};
  EXPECT_EQ(in.Varint(), 300U);
  EXPECT_EQ(in.Text(), "text");
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Bytes(3), "raw");
  EXPECT_TRUE(in.ok && in.bytes.empty());
}

TEST(Decoder, NoticesEveryTruncation) {
  std::string bytes;
  AppendVarint(bytes, UINT64_MAX);
  AppendText(bytes, "some text");
  AppendVarint(bytes, 1 << 20);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Decoder in{std::string_view(bytes).substr(0, length)};
    in.Varint();
    in.Text();
    EXPECT_EQ(in.Varint(), 0U) << length;
    EXPECT_FALSE(in.ok) << length;
  }
}

TEST(Decoder, GivesNothingMoreAfterAFailure) {
  std::string bytes;
  AppendVarint(bytes, 1000);
  bytes += "short";
  Decoder in{bytes};
  EXPECT_EQ(in.Text(), "");
  EXPECT_FALSE(in.ok);
  EXPECT_EQ(in.Varint(), 0U);
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Bytes(1), "");
  EXPECT_FALSE(in.ok);
}

TEST(Decoder, RefusesAVarintWithoutEndAndALengthBeyondAll) {
  const std::string endless(20, '\xFF');
  Decoder in{endless};
  EXPECT_EQ(in.Varint(), 0U);
  EXPECT_FALSE(in.ok);
  std::string bytes;
  AppendVarint(bytes, UINT64_MAX);
  Decoder text{bytes};
  EXPECT_EQ(text.Text(), "");
  EXPECT_FALSE(text.ok);
}

}  // namespace
}  // namespace turnlog::coding_test
