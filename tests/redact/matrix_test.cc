// Kinds of values, in every promised encoding, in every field of every kind of event.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/redact/more_encodings.h"
#include "tests/redact/redact_fixture.h"
#include "tests/secrets/fake_secrets.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::matrix_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Generated, so that scanners do not report this file as a leak.
std::vector<std::string> KindsOfValues() {
  FakeSecrets fake(11);
  const std::string letters = fake.Of(kAlnum, 24), digits = fake.Of("123456789", 9);
  return {
      letters,
      letters.substr(0, 6) + "!",
      fake.Of(kAlnum, 100),
      digits,
      fake.Of("0123456789abcdef", 40),
      "pass phrase of " + fake.Of(kAlnum, 5),
      fake.Of(kAlnum, 5) + "\"quoted\\and'<slashed>/" + fake.Of(kAlnum, 5),
      fake.Of(kAlnum, 4) + "%41&amp;=" + fake.Of(kAlnum, 6),
      fake.Of(kAlnum, 30) + "+/==",
      "https://me:" + letters.substr(0, 12) + "@example.com/?a=b&c=d",
      "p\u00e4ssw\u00f6rd-" + letters.substr(0, 6),
      "key\U0001f511" + letters.substr(0, 6),
      "\u5bc6\u7801\u662f" + letters.substr(0, 6),
      "--BEGIN X--\n" + fake.Of(kAlnum, 33) + "\n" + fake.Of(kAlnum, 33) + "\n" + fake.Of(kAlnum, 9) + "\n--END X--",
      "{\"type\":\"service\",\n  \"key\":\"" + letters.substr(2, 15) + "\"\n}"};
}

class RedactMatrixTest : public RedactTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(RedactMatrixTest, NothingIsLeft) {
  const std::string value = KindsOfValues()[GetParam()];
  const std::vector<NamedEncoding> encodings = PromisedEncodings();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    texts.push_back(encodings[i].encode(value));
    Must(Append(fmt::format("c{:03}", i), Everywhere("{ " + texts.back() + " }")));
  }
  const RedactionProof proof = Redact(Given({value}));
  EXPECT_TRUE(proof.clean());
  const std::size_t places = Everywhere("x").size();
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    SCOPED_TRACE(fmt::format("{} {}", encodings[i].name, texts[i]));
    const std::string name = fmt::format("c{:03}", i);
    const auto found = std::ranges::find(proof.conversations, name, &RedactedConversation::id);
    ASSERT_NE(found, proof.conversations.end());
    EXPECT_THAT(found->events, SizeIs(places));
    for (const Event& event : RawEvents(*log_, name)) {
      EXPECT_EQ(CodeOf(ParseEvent(ToJson(View(event)))), "fine") << ToJson(View(event));
    }
  }
  EXPECT_THAT(FilesWith(path(), value.substr(0, value.find('\n'))), IsEmpty());
  EXPECT_THAT(Plan(Given({value})).conversations, IsEmpty());
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

INSTANTIATE_TEST_SUITE_P(Values, RedactMatrixTest, testing::Range<std::size_t>(0, KindsOfValues().size()));

}  // namespace
}  // namespace turnlog::matrix_test
