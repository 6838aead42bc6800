// JSON stays JSON, whatever is taken out of it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sanitize/redaction/redacted_text.h"
#include "schema/json/json_scan.h"
#include "tests/redact/more_encodings.h"
#include "tests/redact/redact_fixture.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::json_test {
namespace {

using ::testing::HasSubstr;

SecretMatcher Finder(std::initializer_list<std::string_view> values) {
  std::vector<SecretString> secrets;
  for (const std::string_view value : values) secrets.emplace_back(value);
  return SecretMatcher(secrets);
}

const std::string_view kNumber = "88776655";

std::string Text(std::string_view text) { return RedactText(Finder({kNumber}), text).value_or("(nothing)"); }
std::string InJson(std::string_view json) {
  const auto result = RedactJson(Finder({kNumber}), json);
  EXPECT_FALSE(result && FindJsonFault(*result)) << *result;
  return result.value_or("(nothing)");
}

TEST(RedactedText, ThatIsJsonStaysJson) {
  EXPECT_EQ(Text(R"({"pin":88776655})"), R"({"pin":0})");
  EXPECT_EQ(Text("\n [ 1, 88776655 ]\n"), "\n [ 1, 0 ]\n");
  EXPECT_EQ(Text("{\"pin\":88776655}\n{\"pin\":1}\n[88776655]\nno 88776655 \n"),
            "{\"pin\":0}\n{\"pin\":1}\n[0]\nno [redacted] \n");
  EXPECT_EQ(Text("{no JSON: 88776655}"), "{no JSON: [redacted]}");
  EXPECT_EQ(Text("88776655"), "[redacted]");
}

TEST(RedactedJson, WithinStringsOfJsonStaysJson) {
  EXPECT_EQ(InJson(R"({"arguments":"{\"pin\":88776655,\"a\":1}"})"), R"({"arguments":"{\"pin\":0,\"a\":1}"})");
  EXPECT_EQ(InJson(R"(["[\"{\\\"pin\\\":88776655}\"]", "88776655"])"), R"(["[\"{\\\"pin\\\":0}\"]", "[redacted]"])");
  EXPECT_EQ(InJson(R"({"a":"{\"open\": 88776655"})"), R"({"a":"{\"open\": [redacted]"})");
}

TEST(RedactedJson, KeepsKeysApart) {
  const auto finder = Finder({"first-secret", "second-secret"});
  const auto redacted = [&](std::string_view json) { return RedactJson(finder, json).value_or("(nothing)"); };
  EXPECT_EQ(redacted(R"({"first-secret":1,"second-secret":2,"x":{"first-secret":3}})"),
            R"({"[redacted]":1,"[redacted]#2":2,"x":{"[redacted]":3}})");
  EXPECT_EQ(redacted(R"({"[redacted]":1,"second-secret":2,"[redacted]#2":3})"),
            R"({"[redacted]":1,"[redacted]#2":2,"[redacted]#2#2":3})");
  EXPECT_EQ(redacted(R"({"a first-secret":1,"b second-secret":2})"), R"({"a [redacted]":1,"b [redacted]":2})");
}

TEST(SecretMatcher, ANumberIsNotFoundInALongerOne) {
  EXPECT_EQ(Text("at 1788776655123, 988776655 or 887766550"), "(nothing)");
  EXPECT_EQ(InJson(R"({"time":188776655})"), "(nothing)");
  EXPECT_EQ(Text("pin88776655 x88776655y -88776655 8.88776655e2"),
            "pin[redacted] x[redacted]y -[redacted] 8.[redacted]e2");
}

// Of some values, and of all numbers, the hexadecimal digits have no letter.
TEST(SecretMatcher, DigitsInLongerHexAreFound) {
  const auto hex = [](std::string_view value) {
    std::string digits;
    for (const char letter : value) digits += fmt::format("{:02x}", static_cast<unsigned char>(letter));
    return digits;
  };
  for (const std::string_view value : {"88776655", "83pVdX51"}) {
    EXPECT_EQ(RedactText(Finder({value}), "abc" + hex(value) + "616263").value_or(""), "abc[redacted]616263");
  }
}

// Compressed, a long value is shorter than it is.
TEST(SecretMatcher, LongValuesInCompressedTextAreFound) {
  FakeSecrets fake(9);
  for (const std::size_t size : {100U, 300U, 2000U}) {
    const std::string value = fake.Of(kAlnum, size);
    for (const bool gzip : {false, true}) {
      const std::string text = "see \"" + CompressedBase64(value, gzip) + "\"";
      EXPECT_EQ(RedactText(Finder({value}), text).value_or(""), "see \"[redacted]\"") << size;
    }
  }
}

// Two words without the blank between them are often a name.
TEST(SecretMatcher, WordsAreOnlyJoinedIfTheyAreLong) {
  EXPECT_EQ(RedactText(Finder({"user password"}), "userpassword user password").value_or(""),
            "userpassword [redacted]");
  EXPECT_EQ(RedactText(Finder({"correct horse battery"}), "correct\n  horse battery").value_or(""), "[redacted]");
}

TEST(SecretMatcher, Base64InAPathLeavesItsNeighbours) {
  const std::string value = "hunter2!-hunter2!";
  const std::string encoded = EncodeBase64(value), unpadded = encoded.substr(0, encoded.find('='));
  const auto finder = Finder({value});
  for (const std::string_view before : {"/var/", "/var/l/", "/var/li/", "/var/lib/", "var/lib/"}) {
    EXPECT_EQ(RedactText(finder, std::string(before) + unpadded + "/keys/a"),
              std::string(before) + "[redacted]/keys/a");
  }
  EXPECT_EQ(RedactText(finder, "x " + EncodeBase64("a text in front?>>" + value + " and behind") + " y"),
            "x [redacted] y");
}

TEST_F(RedactTest, NumbersInAnAnswerAreValues) {
  std::vector<Event> events = LeakedAnswer("q", "");
  std::get<InquiryResponse>(events[1].body).answer = Must(ParseJson(R"({"pin":88776655,"on":[99887766.5,true]})"));
  Must(Append("c", events));
  Must(Append("c", {Say("pin 88776655"), Say("or 99887766.5 and true")}));
  EXPECT_TRUE(Redact(Secrets()).clean());
  EXPECT_THAT(Json("c")[3], HasSubstr("pin [redacted]"));
  EXPECT_THAT(Json("c")[4], HasSubstr("or [redacted] and true"));
}

TEST_F(RedactTest, AnAnswerWithoutAValueIsRecordedToo) {
  std::vector<Event> events = LeakedAnswer("q", "");
  std::get<InquiryResponse>(events[1].body).answer = Must(ParseJson("true"));
  Must(Append("c", events));
  const RedactionProof proof = Redact(Secrets());
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(Json("c").back(), HasSubstr(R"("rules":[{"rule":"secret-answer","events":1,"seqs":[[2,2]]}])"));
}

TEST_F(RedactTest, JsonInAFieldOfJsonIsFoundFourLevelsDeep) {
  FakeSecrets fake(1);
  const std::string value = "back\\slash \"quote\"";
  std::string text = value;
  for (int i = 0; i < 4; ++i) text = EscapeJson(text, fake, 1000);
  Must(Append("c", FromJson(R"({"type":"never_seen","a":)" + turnlog::JsonString(text).text() + "}")));
  Must(Append("c", FromJson(R"({"type":"turn_start","metadata":{"a":)" + turnlog::JsonString(text).text() + "}}")));
  EXPECT_TRUE(Redact(Given({value})).clean());
  EXPECT_THAT(Json("c")[0], HasSubstr(R"("a":"[redacted]")"));
  EXPECT_THAT(Json("c")[1], HasSubstr(R"("a":"[redacted]")"));
}

}  // namespace
}  // namespace turnlog::json_test
