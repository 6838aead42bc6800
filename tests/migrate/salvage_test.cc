#include "migrate/records/salvage.h"

#include <gmock/gmock.h>

#include <string>

namespace turnlog::salvage_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool HasId(const JsonObject& object) { return !object["id"].empty(); }

// The pieces as text; damage in brackets.
std::vector<std::string> Pieces(std::string_view line, bool may_go_on = false) {
  std::vector<std::string> pieces;
  for (const SalvagedPiece& piece : SalvageLine(line, HasId, may_go_on)) {
    const std::string text(line.substr(piece.begin, piece.end - piece.begin));
    pieces.push_back(piece.damage.empty() ? text : "[" + text + "]");
  }
  return pieces;
}

TEST(SalvageTest, FindsObjectsThatFollowEachOther) {
  EXPECT_THAT(Pieces(R"({"a":1}{"b":2} {"c":3})"), ElementsAre(R"({"a":1})", R"({"b":2})", R"({"c":3})"));
}

TEST(SalvageTest, FindsARecordAfterATornOne) {
  EXPECT_THAT(Pieces(R"({"id":1,"text":"torn wi{"id":2})"), ElementsAre(R"([{"id":1,"text":"torn wi])", R"({"id":2})"));
  EXPECT_THAT(Pieces(R"({"id":1,"n":{"id":2})"), ElementsAre(R"([{"id":1,"n":])", R"({"id":2})"))
      << "whether the second was meant as a part of the first cannot be known";
}

TEST(SalvageTest, DoesNotTakePartsOfATornRecordForRecords) {
  EXPECT_THAT(Pieces(R"({"id":1,"parts":[{"id":7},{"id":8}],"n")"), SizeIs(1));
  EXPECT_THAT(Pieces(R"({"id":1,"parts":[{"text":"x"})"), SizeIs(1)) << "ends like a record, but is none";
}

TEST(SalvageTest, ARecordThatIsBeingWrittenIsNotTakenApart) {
  for (const char* const torn : {R"({"id":1,"n":{"id":2})", R"({"id":1,"n":[{"id":2})", R"({"n":{"id":2},"text":"x)"}) {
    EXPECT_THAT(Pieces(torn, true), ElementsAre("[" + std::string(torn) + "]"));
    EXPECT_THAT(Pieces(R"({"id":0})" + std::string(torn), true),
                ElementsAre(R"({"id":0})", "[" + std::string(torn) + "]"));
  }
  EXPECT_THAT(Pieces(R"({"id":1} oops {"id":2})", true), ElementsAre(R"({"id":1})", "[oops ]", R"({"id":2})"));
  EXPECT_THAT(Pieces(R"({"id":1,"text":"torn wi{"id":2})", true), SizeIs(2)) << "no text has such quotes";
}

TEST(SalvageTest, FindsARecordAmongNulBytes) {
  const std::string nul(5, '\0');
  EXPECT_THAT(Pieces(nul + R"({"id":1})" + nul), ElementsAre("[" + nul + "]", R"({"id":1})", "[" + nul + "]"));
  EXPECT_EQ(SalvageLine(nul, HasId).front().damage, "NUL bytes");
}

TEST(SalvageTest, TextAfterARecordCostsNoMoreThanItself) {
  EXPECT_THAT(Pieces(R"({"id":1}})"), ElementsAre(R"({"id":1})", "[}]"));
  EXPECT_THAT(Pieces(R"({"id":1},)"), ElementsAre(R"({"id":1})", "[,]"));
  EXPECT_THAT(Pieces(R"({"id":1} oops {"id":2})"), ElementsAre(R"({"id":1})", "[oops ]", R"({"id":2})"));
  EXPECT_THAT(Pieces("{\"id\":1}{\"id\":2}\xff"), ElementsAre(R"({"id":1})", R"({"id":2})", "[\xff]"));
}

TEST(SalvageTest, KeepsWhatIsNoObject) {
  EXPECT_THAT(Pieces("oops"), ElementsAre("[oops]"));
  EXPECT_THAT(Pieces("[1,2]"), ElementsAre("[[1,2]]"));
  EXPECT_THAT(Pieces(R"({"a":1} oops)"), ElementsAre(R"([{"a":1} oops])"));
  EXPECT_THAT(Pieces("{\"a\":\"\xff\"}{\"id\":2}"), ElementsAre("[{\"a\":\"\xff\"}]", R"({"id":2})"));
  EXPECT_THAT(Pieces(" \t"), IsEmpty());
}

TEST(SalvageTest, ReadsNoLineManyTimes) {
  std::string line;
  for (int i = 0; i < 200'000; ++i) line += R"({"id":")";  // a candidate every seven bytes, none of which ends
  EXPECT_THAT(SalvageLine(line, HasId), SizeIs(1));
}

TEST(RepairTextTest, ReplacesWhatIsNoText) {
  EXPECT_EQ(RepairText("{\"a\":\"x\xff\xc3\"}"), "{\"a\":\"x\xef\xbf\xbd\xef\xbf\xbd\"}");
  EXPECT_EQ(RepairText(R"({"a":"\ud83d \udc00x \ud83d\ude00 \\ud83d"})"),
            "{\"a\":\"\xef\xbf\xbd \xef\xbf\xbdx \\ud83d\\ude00 \\\\ud83d\"}");
  EXPECT_EQ(RepairText(R"({"a":1})"), std::nullopt) << "nothing to repair";
  EXPECT_EQ(RepairText("{\"a\":\"\xff\""), std::nullopt) << "not an object";
  EXPECT_EQ(RepairText("{\"a\":\"\\ud8"), std::nullopt);
}

}  // namespace
}  // namespace turnlog::salvage_test
