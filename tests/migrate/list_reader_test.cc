#include "migrate/records/list_reader.h"

#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "migrate/format.h"
#include "tests/migrate/record_pieces.h"
#include "tests/support/memory_bytes.h"

namespace turnlog::list_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::array<std::string_view, 2> kLists{"messages", "items"};

std::vector<std::string> Pieces(const std::string& text) {
  SourceFile file("list.json", std::make_shared<MemoryBytes>(text));
  ListReader reader(file, kLists);
  return PiecesOf(reader, text);
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
  EXPECT_THAT(Pieces("[{\"a\":1} {\"b\":2}]"), ElementsAre("H", "R{\"a\":1}", "E {\"b\":2}]"));
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
