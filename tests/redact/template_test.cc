// The templates of imported records without values.
#include <gtest/gtest.h>

#include "sanitize/redaction/redacted_template.h"
#include "sanitize/secrets/secret_matcher.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::template_test {
namespace {

const std::string kValue = std::string("Kq7v-rather") + "Secret!9x";

std::optional<std::string> Redacted(std::string_view source_text) {
  const std::vector<SecretString> values{SecretString(kValue)};
  const SecretMatcher matcher(values);
  return RedactTemplate([&](std::string_view text) { return matcher.Find(text); }, source_text);
}

TEST(RedactedTemplate, KeepsTheMarks) {
  EXPECT_EQ(Redacted(",\n {\"a\":\"" + kValue +
                     "\",\"b\":\x01"
                     "c,\"n\":[\x02\x01"
                     "a]}\x02"),
            ",\n {\"a\":\"[redacted]\",\"b\":\x01"
            "c,\"n\":[\x02\x01"
            "a]}\x02");
  EXPECT_EQ(Redacted("{\"b\":\x02\x02\x01"
                     "c,\"c\":\x01"
                     "o,\"a\":\"x " +
                     kValue + "\"}"),
            "{\"b\":\x02\x02\x01"
            "c,\"c\":\x01"
            "o,\"a\":\"x [redacted]\"}");
}

TEST(RedactedTemplate, KeepsTheKindsOfJson) {
  EXPECT_EQ(Redacted("{\"a\":\"{\\\"k\\\":\\\"" + kValue + "\\\"}\",\"" + kValue +
                     "\":1,\"c\":\x01"
                     "c}"),
            "{\"a\":\"{\\\"k\\\":\\\"[redacted]\\\"}\",\"[redacted]\":1,\"c\":\x01"
            "c}");
}

TEST(RedactedTemplate, FindsTheValueInEveryEncoding) {
  EXPECT_EQ(Redacted("{\"a\":\"" + EncodeBase64("{ " + kValue + " }") +
                     "\",\"c\":\x01"
                     "c}"),
            "{\"a\":\"[redacted]\",\"c\":\x01"
            "c}");
}

TEST(RedactedTemplate, ThatIsNoJsonIsText) {
  EXPECT_EQ(Redacted("{ " + kValue +
                     " \x02\x01"
                     "c"),
            "{ [redacted] \x02\x01"
            "c");
}

// A block with its marks; the texts that follow are still those of the same events.
TEST(RedactedTemplate, LosesTheBlockOfASealedValue) {
  std::string bytes = "\x12";
  const std::string body = FakeSecrets(1).Bytes(40) + kValue;
  bytes.append({static_cast<char>(body.size())}).append(body);
  const std::string signature = EncodeBase64(bytes);
  EXPECT_EQ(Redacted("{\"content\":[{\"type\":\"thinking\",\"thinking\":\x02\x01"
                     "c,\"signature\":\"" +
                     signature +
                     "\"},{\"text\":\x02\x01"
                     "c}]}\x02"),
            "{\"content\":[{\"text\":\x02\x02\x01"
            "c}]}\x02");
}

TEST(RedactedTemplate, ThatCannotBeCleanedIsDropped) {
  EXPECT_EQ(Redacted("{\"a\":\"" + kValue + "\",\"b\":\"\xef\xb7\x90\"}"), std::nullopt);
}

}  // namespace
}  // namespace turnlog::template_test
