// Documents that are closed after what can be read of them.
#include "migrate/records/torn_document.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"
#include "schema/json/json_scan.h"
#include "tests/support/sanitized.h"

namespace turnlog::torn_document_test {
namespace {

std::string Closed(std::string_view text) {
  const auto closed = CloseDocument(text);
  return closed ? std::string(text.substr(0, closed->end)) + closed->closing : "";
}

TEST(TornDocumentTest, KeepsWhatCanBeRead) {
  EXPECT_EQ(Closed(R"({"id":"a","output":"found)"), R"({"id":"a","output":"found"})");
  EXPECT_EQ(Closed(R"({"id":"a","output")"), R"({"id":"a"})");
  EXPECT_EQ(Closed(R"({"id":"a","output":)"), R"({"id":"a"})");
  EXPECT_EQ(Closed(R"({"a":{"b":[1,{"c":"d)"), R"({"a":{"b":[1,{"c":"d"}]}})");
  EXPECT_EQ(Closed(R"({"a":1,"size":12)"), R"({"a":1})") << "the number may have been longer";
  EXPECT_EQ(Closed("{\"a\":\"\xc3\xa9\xc3"), "{\"a\":\"\xc3\xa9\"}") << "half a letter";
  EXPECT_EQ(Closed(R"({"a":"b\u00)"), R"({"a":"b"})");
  EXPECT_EQ(Closed(R"({"a":"b\)"), R"({"a":"b"})");
}

TEST(TornDocumentTest, LeavesOutWhatFollows) {
  EXPECT_EQ(Closed(std::string(R"({"a":1})") + std::string(3, '\0')), R"({"a":1})");
  EXPECT_EQ(Closed(R"({"a":1}})"), R"({"a":1})");
  EXPECT_EQ(Closed(std::string(R"({"a":1,)") + '\0' + R"("b":2})"), R"({"a":1})");
}

TEST(TornDocumentTest, GivesNothingWithoutAValueOrAFault) {
  for (const char* text : {"", "{", "[", R"({"a)", R"({"a":)", "[1,2", "nonsense", R"({"a":1})", " {\"a\":1}\n"}) {
    EXPECT_FALSE(CloseDocument(text)) << text;
  }
}

TEST(TornDocumentTest, GivesADocumentWhereverItIsCutOrChanged) {
  const std::string text =
      R"({"a":"x\"\\\u00e9\ud83d\ude00","b":[1,2.5e3,true,null,{"c":{},"d":[]}],"e":"é","f":{"g":"h"}})";
  for (std::size_t size = 0; size < text.size(); size += kByteStep) {
    const std::string closed = Closed(std::string_view(text).substr(0, size));
    EXPECT_TRUE(closed.empty() ? size < 6 : !FindJsonFault(closed)) << size << ": " << closed;
    for (const char c : std::string_view("\0\"\\{}[],:x", 10)) {
      std::string changed = text;
      changed[size] = c;
      if (!IsUtf8(changed)) continue;  // is repaired when it is read again
      const std::string other = Closed(changed);
      EXPECT_TRUE(other.empty() || !FindJsonFault(other)) << size << ": " << other;
    }
  }
}

}  // namespace
}  // namespace turnlog::torn_document_test
