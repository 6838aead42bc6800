#include "providers/sealed_value.h"

#include <gtest/gtest.h>

#include <string>

#include "base/base64.h"

namespace turnlog::sealed_value_test {
namespace {

std::string Base64(const std::string& bytes) {
  std::string text;
  AppendBase64(bytes, text);
  return text;
}

// Nested fields of all kinds: a number, a text, fixed 64 and 32 bits.
const std::string kMessage(
    "\x08\x96\x01\x12\x05hello\x19"
    "12345678\x25"
    "1234",
    24);

TEST(SealedValue, WholeMessagesAreKnown) {
  EXPECT_EQ(FormOf(Base64(kMessage)), SealedForm::kMessage);
  EXPECT_EQ(FormOf(Base64("\x12\x01x")), SealedForm::kMessage);
}

TEST(SealedValue, WholeTokensAreKnown) {
  EXPECT_EQ(FormOf(Base64("\x80" + std::string(8 + 16 + 16 + 32, '\xfb'))), SealedForm::kToken);
  std::string url = Base64("\x80" + std::string(8 + 16 + 16 + 32, '\xfb'));
  for (char& letter : url) letter = letter == '+' ? '-' : letter == '/' ? '_' : letter;
  EXPECT_EQ(FormOf(url), SealedForm::kToken);
}

TEST(SealedValue, CutsAreSeen) {
  const std::string message = Base64(kMessage), token = Base64("\x80" + std::string(8 + 16 + 16 + 32, 'x'));
  int whole = 0;
  for (std::size_t size = 0; size < message.size(); ++size)
    whole += FormOf(message.substr(0, size)) != SealedForm::kBroken;
  EXPECT_EQ(whole, 1) << "cut between two fields";
  for (std::size_t size = 0; size < token.size(); ++size) {
    EXPECT_EQ(FormOf(token.substr(0, size)), SealedForm::kBroken) << size;
  }
}

TEST(SealedValue, OtherTextsAreBroken) {
  for (const char* text : {"", "[redacted]", "sig-omitted", "AAAA", "====", "placeholder"}) {
    EXPECT_EQ(FormOf(text), SealedForm::kBroken) << text;
  }
}

}  // namespace
}  // namespace turnlog::sealed_value_test
