#include "base/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace turnlog::base64_test {
namespace {

std::string Encode(std::string_view bytes) {
  std::string out;
  AppendBase64(bytes, out);
  return out;
}

TEST(Base64, EncodesTheVectorsOfTheStandard) {
  EXPECT_EQ(Encode(""), "");
  EXPECT_EQ(Encode("f"), "Zg==");
  EXPECT_EQ(Encode("fo"), "Zm8=");
  EXPECT_EQ(Encode("foo"), "Zm9v");
  EXPECT_EQ(Encode("foob"), "Zm9vYg==");
  EXPECT_EQ(Encode("?\?\?>>>"), "Pz8/Pj4+");
}

TEST(Base64, DecodesWhatItEncodes) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_EQ(DecodeBase64(Encode(bytes)), bytes) << size;
  }
}

TEST(Base64, EncodesAgainWhatItDecodes) {
  std::mt19937 random(2);
  constexpr std::string_view kLetters = "AQgw+/09az==";
  int decoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text(8, '\0');
    for (char& letter : text) letter = kLetters[random() % kLetters.size()];
    const auto bytes = DecodeBase64(text);
    if (!bytes) continue;
    ++decoded;
    EXPECT_EQ(Encode(*bytes), text);
  }
  EXPECT_GT(decoded, 100);
}

TEST(Base64, RefusesWhatIsNotCanonical) {
  EXPECT_FALSE(DecodeBase64("Zg"));        // no padding
  EXPECT_FALSE(DecodeBase64("Zg="));       // too little
  EXPECT_FALSE(DecodeBase64("Zg==="));     // too much
  EXPECT_FALSE(DecodeBase64("===="));      // nothing but
  EXPECT_FALSE(DecodeBase64("Z==="));      // six bits are no byte
  EXPECT_FALSE(DecodeBase64("Zh=="));      // bits after the last byte
  EXPECT_FALSE(DecodeBase64("Zm9="));      // the same
  EXPECT_FALSE(DecodeBase64("Zg==Zg=="));  // padding in the middle
  EXPECT_FALSE(DecodeBase64("Zm 9"));      // a foreign letter
  EXPECT_FALSE(DecodeBase64("Zm9v\n"));
}

TEST(Base64, EachAlphabetKnowsItsOwnLettersOnly) {
  EXPECT_EQ(DecodeBase64("Pz8_Pj4-", Base64Alphabet::kUrlSafe), "?\?\?>>>");
  EXPECT_FALSE(DecodeBase64("Pz8_Pj4-", Base64Alphabet::kStandard));
  EXPECT_FALSE(DecodeBase64("Pz8/Pj4+", Base64Alphabet::kUrlSafe));
}

}  // namespace
}  // namespace turnlog::base64_test
