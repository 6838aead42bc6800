#include "migrate/records/list_reader.h"

#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "migrate/format.h"
#include "tests/migrate/record_pieces.h"
#include "tests/support/memory_bytes.h"
#include "tests/support/sanitized.h"

namespace turnlog::list_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSubsetOf;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::array<std::string_view, 2> kLists{"messages", "items"};

bool HasId(const JsonObject& object) { return !object["id"].empty(); }

std::vector<std::string> Pieces(const std::string& text) {
  SourceFile file("list.json", std::make_shared<MemoryBytes>(text));
  ListReader reader(file, kLists, HasId);
  return PiecesOf(reader, text);
}

// What is wrong at the end.
std::string EndReason(const std::string& text) {
  SourceFile file("list.json", std::make_shared<MemoryBytes>(text));
  ListReader reader(file, kLists, HasId);
  for (;;) {
    const RecordPiece piece = Must(reader.Next());
    if (piece.kind == RecordPiece::Kind::kEnd) return std::string(piece.reason);
  }
}

// The sound records among the pieces.
std::vector<std::string> Records(const std::vector<std::string>& pieces) {
  std::vector<std::string> records;
  for (const std::string& piece : pieces) {
    if (piece.starts_with('R')) records.push_back(piece.substr(1));
  }
  return records;
}

TEST(ListReaderTest, ReadsAnArray) {
  EXPECT_THAT(Pieces("[{\"a\":1}, {\"b\":2}]\n"), ElementsAre("H", "R{\"a\":1}", "R{\"b\":2}", "E]\n"));
  EXPECT_THAT(Pieces(" [ ]"), ElementsAre("H ", "E[ ]"));
}

TEST(ListReaderTest, ReadsTheListInAnObject) {
  EXPECT_THAT(Pieces("{\"x\":{\"messages\":[{}]},\"messages\":[\n {\"a\":[1,{}]} ],\"y\":2}"),
              ElementsAre("H{\"x\":{\"messages\":[{}]},\"messages\":", "R{\"a\":[1,{}]}", "E ],\"y\":2}"));
  EXPECT_THAT(Pieces("{\"items\":[],\"messages\":[{}]}"), ElementsAre("H{\"items\":[],\"messages\":", "R{}", "E]}"));
  EXPECT_THAT(Pieces("{\"messages\":[],\"x\":1}"), ElementsAre("H{\"messages\":", "E[],\"x\":1}"));
}

TEST(ListReaderTest, KeepsWhatIsNoList) {
  for (const std::string text : {"", "{}", "{\"messages\":1}", "17", "{\"messages\":[1]}", "{\"mess"}) {
    EXPECT_THAT(Pieces(text), ElementsAre("E" + text));
  }
}

TEST(ListReaderTest, TakesTheElementsBeforeAndBesideDamage) {
  EXPECT_THAT(Pieces("[{\"a\":1},{\"b\":2,},7,{\"c\":\"\xff\"}]"),
              ElementsAre("H", "R{\"a\":1}", "D{\"b\":2,}", "D7", "F{\"c\":\"\xff\"}", "E]"));
  EXPECT_THAT(Pieces("[{\"a\":1},{\"b\":"), ElementsAre("H", "R{\"a\":1}", "E,{\"b\":"));
  EXPECT_THAT(Pieces("[{\"a\":1} {\"b\":2}]"), ElementsAre("H", "R{\"a\":1}", "D", "R{\"b\":2}", "E]"));
}

TEST(ListReaderTest, FindsTheRecordsAfterDamage) {
  EXPECT_THAT(Pieces(R"([{"id":1}.{"id":2},{"id":3}])"),
              ElementsAre("H", R"(R{"id":1})", "D.", R"(R{"id":2})", R"(R{"id":3})", "E]"));
  EXPECT_THAT(Pieces(R"([{"id":1,"text":"no end,"of":[{"x":1}]},{"id":2},{"id":3}])"),
              ElementsAre("H", R"(D{"id":1,"text":"no end,"of":[{"x":1}]})", R"(R{"id":2})", R"(R{"id":3})", "E]"));
  const std::string nul(5, '\0');
  EXPECT_THAT(Pieces(R"({"items":[{"id":1},)" + nul + R"(,{"id":2}],"n":1})"),
              ElementsAre(R"(H{"items":)", R"(R{"id":1})", "D" + nul, R"(R{"id":2})", R"(E],"n":1})"));
  EXPECT_THAT(Pieces(R"({"items":[{"id":1}],{"id":2}],"n":1})"),
              ElementsAre(R"(H{"items":)", R"(R{"id":1})", "D]", R"(R{"id":2})", R"(E],"n":1})"));
}

TEST(ListReaderTest, FindsTheRecordsAfterADamagedHeader) {
  EXPECT_THAT(Pieces(R"({"n:1,"o":{},"items":[{"id":1},{"x":2}],"n":1})"),
              ElementsAre(R"(D{"n:1,"o":{},"items":)", R"(R{"id":1})", R"(R{"x":2})", R"(E],"n":1})"));
  EXPECT_THAT(Pieces(R"(x{"id":1},{"id":2}])"), ElementsAre("Dx", R"(R{"id":1})", R"(R{"id":2})", "E]"));
}

TEST(ListReaderTest, TakesNoPartOfARecordThatIsCut) {
  EXPECT_THAT(Pieces(R"([{"id":1},{"id":2,"of":[{"id":3},{"id":4},)"),
              ElementsAre("H", R"(R{"id":1})", R"(E,{"id":2,"of":[{"id":3},{"id":4},)"));
}

TEST(ListReaderTest, SaysWhatIsWrongAtTheEnd) {
  EXPECT_EQ(EndReason(R"({"items":[{"id":1}],"n":[{"a":1}]} )"), "");
  EXPECT_EQ(EndReason(R"({"items":[{"id":1}]})"), "");
  EXPECT_EQ(EndReason(R"({"n":{}})"), "") << "sound, though it has no list";
  for (const std::string_view torn : {R"([{"id":1})", R"([{"id":1},{"id")", R"({"items":[{"id":1}])",
                                      R"({"items":[{"id":1}],"n":)", R"({"items":[{"id":1}]}})", R"({"items)", ""}) {
    EXPECT_NE(EndReason(std::string(torn)), "") << torn;
  }
}

const std::vector<std::string> kRecords{R"({"id":1,"text":"one, \"two\"","of":[{"x":"{"},{"x":"]"}]})",
                                        R"({"id":2,"text":"{\"id\":7}","of":[1]})", R"({"id":3,"n":{"x":[1,2]}})",
                                        R"({"id":4,"text":"last"})"};

std::string Document() {
  std::string text = R"({"from":"here","items":[)";
  for (const std::string& record : kRecords) text.append(text.ends_with('[') ? "\n  " : ",\n  ").append(record);
  return text + "\n ],\"summary\":\"s\"}\n";
}

TEST(ListReaderTest, CutAtAnyByteLosesOnlyTheRecordThere) {
  const std::string text = Document();
  for (std::size_t size = 0; size <= text.size(); size += kByteStep) {
    std::vector<std::string> expected;
    for (const std::string& record : kRecords) {
      if (text.find(record) + record.size() <= size) expected.push_back(record);
    }
    ASSERT_EQ(Records(Pieces(text.substr(0, size))), expected) << size;
    ASSERT_EQ(EndReason(text.substr(0, size)).empty(), size >= text.size() - 1) << size;
  }
}

TEST(ListReaderTest, WithAnyByteChangedLosesOnlyTheRecordThere) {
  const std::string text = Document();
  for (std::size_t at = 0; at < text.size(); at += kByteStep) {
    std::vector<std::string> others;
    for (const std::string& record : kRecords) {
      const std::size_t begin = text.find(record);
      if (at < begin || at >= begin + record.size()) others.push_back(record);
    }
    for (const char letter : {'"', '{', '}', ']', ',', '\\', '\0', '\xff', ' ', static_cast<char>(text[at] ^ 1)}) {
      std::string damaged = text;
      damaged[at] = letter;
      const ListBegin list = FindList(damaged, kLists);
      if (!list.found && !list.fault) continue;  // another document, which has no list
      ASSERT_THAT(others, IsSubsetOf(Records(Pieces(damaged)))) << at << letter << "\n" << damaged;
    }
  }
}

// Each would be read again for every bracket if what was read were not counted.
TEST(ListReaderTest, ReadsNothingManyTimes) {
  for (const std::string_view unit : {"{", "[", R"({"a":[)", R"({"a":")", R"(,{x","y":"z})", R"({"a":[}]},)", "],"}) {
    std::string text = R"({"items":[{"id":1},)";
    while (text.size() < std::size_t{1} << 20) text += unit;
    EXPECT_THAT(Records(Pieces(text)), ElementsAre(R"({"id":1})")) << unit;
    EXPECT_THAT(Records(Pieces(text.substr(1))), SizeIs(Le(1))) << unit;
  }
}

TEST(ListReaderTest, ReadsDocumentsLongerThanItsWindow) {
  const std::string record = "{\"a\":\"" + std::string(std::size_t{1} << 20, 'x') + "\"}";
  const std::string header = "{\"system\":\"" + std::string(std::size_t{1} << 20, 'y') + "\",\"messages\":";
  EXPECT_THAT(Pieces(header + "[" + record + "," + record + "]}"),
              ElementsAre("H" + header, "R" + record, "R" + record, "E]}"));
}

TEST(ListReaderTest, CutsARestThatIsTooLongForAnEvent) {
  const std::string rest = "]" + std::string(kMaxDamageBytes, ' ');
  EXPECT_THAT(Pieces("[{}" + rest), ElementsAre("H", "R{}", "D" + rest.substr(0, kMaxDamageBytes), "E "));
}

TEST(ListReaderTest, GivesTheFirstRecordsOfAnIncompleteText) {
  EXPECT_THAT(FirstRecords("{\"messages\":[{\"a\":1},{\"b\":2},{\"c", kLists), SizeIs(2));
  EXPECT_THAT(FirstRecords("{\"other\":[{\"a\":1}]}", kLists), SizeIs(0));
}

TEST(ListReaderTest, GivesTheRecordsAfterDamagedOnes) {
  const std::string_view damaged = R"([{"id":1,"text":"no end},{"id":2},{"x":3},{"id":4},{"id)";
  EXPECT_THAT(FirstRecords(damaged, kLists), SizeIs(0));
  EXPECT_THAT(FirstRecords(damaged, kLists, HasId), SizeIs(3));
}

TEST(ListReaderTest, ClosesTheRecordThatAHeadCuts) {
  const std::string head = R"([ {"a":1} , {"role":"user","b":[{"c":")" + std::string(kProbeBytes, 'x');
  const std::vector<JsonObject> records = FirstRecords(head, kLists);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[1].String("role"), "user");
  EXPECT_THAT(FirstRecords("[" + std::string(kProbeBytes, ' '), kLists), SizeIs(0));
  EXPECT_THAT(FirstRecords(R"([{"a":1},)" + std::string(kProbeBytes, ' '), kLists), SizeIs(1));
}

}  // namespace
}  // namespace turnlog::list_reader_test
