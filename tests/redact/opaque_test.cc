// Signatures, ids and hashes: no rule touches them, and what is exported after a redaction can be sent again.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_detector.h"
#include "schema/json/json_visitor.h"
#include "tests/redact/redact_fixture.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/planted_secrets.h"
#include "turnlog/event_json.h"

namespace turnlog::opaque_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A message of Protocol Buffers with one field of bytes, and a number, as Anthropic's signatures have.
std::string Signature(std::string_view inside, std::uint32_t seed = 1) {
  const std::string body = FakeSecrets(seed).Bytes(60) + std::string(inside) + FakeSecrets(seed + 1).Bytes(20);
  return EncodeBase64(std::string("\x12") + static_cast<char>((body.size() & 0x7f) | 0x80) +
                      static_cast<char>(body.size() >> 7) + body + "\x18\x01");
}

std::string Fernet(std::uint32_t seed) {
  return EncodeBase64("\x80" + std::string(4, '\0') + FakeSecrets(seed).Bytes(4 + 16 + 64 + 32), kWeb64);
}

// Whether a letter in the middle of the value is within something opaque.
bool Opaque(std::string_view key, std::string_view value, std::string_view around = "{}") {
  std::string text = fmt::format(R"({{"type":"{}", "{}" : "{}","x":1}})", around, key, value);
  const std::size_t at = text.find(value) + value.size() / 2;
  const auto found = OpaqueAround(text, {at, at + 1});
  return found && text.substr(found->begin, found->size()) == value;
}

TEST(OpaqueValues, AreKnownByNameAndForm) {
  const std::string signature = Signature("x"), again = EncodeBase64(EncodeBase64(signature)), fernet = Fernet(3);
  for (const char* key : {"signature", "thinkingSignature", "thought_signature", "thoughtSignature",
                          "anthropic_thinking_signature", "encrypted_content", "opaque"}) {
    EXPECT_TRUE(Opaque(key, signature)) << key;
    EXPECT_TRUE(Opaque(key, again)) << key;
    EXPECT_TRUE(Opaque(key, fernet)) << key;
    EXPECT_FALSE(Opaque(key, "sk-ant-" + FakeSecrets(1).Of(kAlnum, 95))) << key;
    EXPECT_FALSE(Opaque(key, FakeSecrets(2).Of(kAlnum, 64))) << key;
    EXPECT_FALSE(Opaque(key, "AKIA" + FakeSecrets(1).Of(kUpper, 16))) << key;
  }
  EXPECT_FALSE(Opaque("data", signature));
  EXPECT_TRUE(Opaque("data", signature, "redacted_thinking"));
  EXPECT_FALSE(Opaque("content", signature));
}

TEST(OpaqueValues, OfIdsAndHashes) {
  const std::string hex = FakeSecrets(1).Of(kHex, 64), uuid = "0b5a1f0e-9c1d-4e52-8f3a-2d6c7b8a9e01";
  EXPECT_TRUE(Opaque("id", "toolu_01" + FakeSecrets(1).Of(kAlnum, 22)));
  EXPECT_TRUE(Opaque("id", "toolu_01" + FakeSecrets(1).Of(kAlnum, 22) + ".apply_changes.1"));
  EXPECT_TRUE(Opaque("call_id", "call_" + FakeSecrets(1).Of(kAlnum, 24)));
  EXPECT_TRUE(Opaque("previous_response_id", "resp_" + hex.substr(0, 48)));
  EXPECT_TRUE(Opaque("parentUuid", uuid));
  EXPECT_TRUE(Opaque("sessionId", uuid));
  EXPECT_TRUE(Opaque("sha256", hex));
  EXPECT_TRUE(Opaque("integrity", "sha256-" + EncodeBase64(FakeSecrets(1).Bytes(32))));
  for (const char* key : {"id", "sha256", "signature"}) {
    EXPECT_FALSE(Opaque(key, "gh" + ("p_" + FakeSecrets(1).Of(kAlnum, 36)))) << key;
  }
  for (const char* key : {"secret_id", "api_key_id", "token_hash", "api_hash", "password"}) {
    EXPECT_FALSE(Opaque(key, uuid)) << key;
    EXPECT_FALSE(Opaque(key, hex)) << key;
  }
}

TEST(OpaqueValues, AreKnownInEscapedJson) {
  std::string text = R"({"signature":")" + Signature("x") + R"("})";
  for (int i = 0; i < 4; ++i) {
    const std::size_t at = text.find(Signature("x").substr(0, 20)) + 30;
    EXPECT_TRUE(OpaqueAround(text, {at, at + 4})) << text;
    text = "{\"x\":" + std::string(JsonString(text).text()) + "}";
  }
}

class OpaqueTest : public RedactTest {
 protected:
  // Found by a rule wherever it is; here its letters are within a signature.
  const std::string key_ = std::string("AK") + "IA" + "Q5TZ7WN4KD2XV6RB";
  std::string Event(std::string_view signature) const {
    return fmt::format(
        R"({{"type":"chat_response","reasoning":"x","metadata":{{"anthropic_thinking_signature":"{}","n":[1,null]}}}})",
        signature);
  }
  static RedactionTargets Detect() {
    RedactionTargets targets;
    targets.detect = true;
    return targets;
  }
};

TEST_F(OpaqueTest, NoRuleTouchesThem) {
  ASSERT_TRUE(Must(SecretDetector::Make(BuiltInSecretRules()))->Find(Signature(" " + key_ + " ")).size() == 1U);
  Must(Append("c", FromJson(Event(Signature(" " + key_ + " ")))));
  const auto before = Json("c");
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_EQ(Json("c"), before);
  Must(Append("c", FromJson(Event(key_))));
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_THAT(Json("c")[1], HasSubstr(R"("anthropic_thinking_signature":"[redacted]")"));
}

TEST_F(OpaqueTest, AValueInOneRemovesAllOfItAndIsReported) {
  Must(Append("c", FromJson(Event(EncodeBase64(Signature("{ " + value_ + " }"))))));
  const RedactionPlan plan = Plan(Given({value_}));
  ASSERT_THAT(plan.opaque, SizeIs(1));
  EXPECT_EQ(plan.opaque[0].conversation, "c");
  EXPECT_EQ(plan.opaque[0].seq, Seq{1});
  EXPECT_EQ(plan.opaque[0].field, "metadata");
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_EQ(Json("c")[0], R"({"type":"chat_response","reasoning":"x","metadata":{"n":[1,null]}})");
}

// The kinds of a text's JSON values, in order.
struct Kinds : JsonVisitor {
  void Open(std::size_t, bool object) { text += object ? '{' : '['; }
  void Close(std::size_t, bool object) { text += object ? '}' : ']'; }
  void Key(std::size_t, std::string_view) { text += 'k'; }
  void Scalar(std::size_t, std::string_view token) {
    text += token.front() == '"' ? 's' : token.front() == 't' || token.front() == 'f' ? 'b' : 'n';
  }
  std::string text;
};

std::string KindsOf(std::string_view json) {
  Kinds kinds;
  EXPECT_TRUE(VisitValidJson(json, kinds));
  return kinds.text;
}

TEST_F(OpaqueTest, ARedactionAddsNoFindingAndKeepsTheKindsOfAllValues) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  const std::vector<PlantedSecret> planted = PlantedSecrets(7);
  std::vector<std::string> before;
  for (std::uint32_t i = 0; i < planted.size(); ++i) {
    const std::string name = fmt::format("c{}", i), text(turnlog::JsonString(planted[i].text()).text());
    Must(Append(name,
                FromJson(fmt::format(
                    R"({{"type":"tool_call_request","id":"toolu_01{}","name":"t","arguments":{{"a":{},"n":[1,true]}},
                          "metadata":{{"signature":"{}","uuid":"0b5a1f0e-9c1d-4e52-8f3a-2d6c7b8a9e01"}}}})",
                    FakeSecrets(i).Of(kAlnum, 22), text, Signature("", i)))));
    before.push_back(Json(name).front());
  }
  EXPECT_TRUE(Redact(Detect()).clean());
  for (std::uint32_t i = 0; i < planted.size(); ++i) {
    const std::string after = Json(fmt::format("c{}", i)).front();
    EXPECT_EQ(KindsOf(after), KindsOf(before[i])) << planted[i].rule;
    EXPECT_THAT(after, HasSubstr(Signature("", i)));
    EXPECT_THAT(FindUnredacted(*detector, after), IsEmpty()) << planted[i].rule << " " << after;
  }
  EXPECT_THAT(Plan(Detect()).conversations, IsEmpty());
}

}  // namespace
}  // namespace turnlog::opaque_test
