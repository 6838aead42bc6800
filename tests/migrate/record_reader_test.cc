#include "migrate/records/record_reader.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "tests/migrate/record_pieces.h"
#include "tests/support/memory_bytes.h"
#include "tests/support/must.h"

namespace turnlog::record_reader_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Pieces(const std::string& text) {
  SourceFile file("lines.jsonl", std::make_shared<MemoryBytes>(text));
  RecordReader reader(file, [](const JsonObject& object) { return !object["id"].empty(); });
  return PiecesOf(reader, text);
}

TEST(RecordReaderTest, ReadsOneRecordPerLine) {
  EXPECT_THAT(Pieces("{\"a\":1}\n{\"b\":2}\n"), ElementsAre("R{\"a\":1}", "R{\"b\":2}", "E\n"));
  EXPECT_THAT(Pieces("{\"a\":1}\r\n\r\n \n{\"b\":2}"), ElementsAre("R{\"a\":1}", "R{\"b\":2}", "E"));
  EXPECT_THAT(Pieces("\xef\xbb\xbf{\"a\":1}\n"), ElementsAre("R{\"a\":1}", "E\n"));
  EXPECT_THAT(Pieces(""), ElementsAre("E"));
  EXPECT_THAT(Pieces("\xef\xbb"), ElementsAre("E\xef\xbb"));
}

TEST(RecordReaderTest, LeavesTheTornLastLineForTheNextTime) {
  EXPECT_THAT(Pieces("{\"id\":1}\n{\"id\":2,\"te"), ElementsAre("R{\"id\":1}", "E\n{\"id\":2,\"te"));
  EXPECT_THAT(Pieces("{\"id\":1}{\"id\":2,\"te"), ElementsAre("R{\"id\":1}", "E{\"id\":2,\"te"));
  EXPECT_THAT(Pieces("{\"id\":1,\"te{\"id\":2}"), ElementsAre("D{\"id\":1,\"te", "R{\"id\":2}", "E"));
}

TEST(RecordReaderTest, ReportsDamage) {
  EXPECT_THAT(Pieces("oops\n{\"a\":1}\n"), ElementsAre("Doops", "R{\"a\":1}", "E\n"));
  EXPECT_THAT(Pieces("{\"a\":\"\xff\"}\n"), ElementsAre("F{\"a\":\"\xff\"}", "E\n"));
  EXPECT_THAT(Pieces("{\"a\":1\n{\"id\":2}{\"id\":3}\n"),
              ElementsAre("D{\"a\":1", "R{\"id\":2}", "R{\"id\":3}", "E\n"));
}

TEST(RecordReaderTest, NamesTheLineOfAPiece) {
  SourceFile file("lines.jsonl", std::make_shared<MemoryBytes>("{\"a\":1}\n\n{\"b\":2}{\"c\":3}\n\n"));
  RecordReader reader(file, [](const JsonObject&) { return true; });
  std::vector<std::uint64_t> lines;
  for (int i = 0; i < 4; ++i) lines.push_back(Must(reader.Next()).line);
  EXPECT_THAT(lines, ElementsAre(1, 3, 3, 3));
}

TEST(RecordReaderTest, ReadsLinesLongerThanItsWindow) {
  const std::string record = "{\"a\":\"" + std::string(std::size_t{3} << 20, 'x') + "\"}";
  EXPECT_THAT(Pieces(record + "\n" + record), ElementsAre("R" + record, "R" + record, "E"));
}

TEST(RecordReaderTest, CutsDamageThatIsTooLongForAnEvent) {
  const std::string noise(kMaxDamageBytes + 5, 'x');
  EXPECT_THAT(Pieces(noise + "\n{\"a\":1}\n"), ElementsAre("D" + noise.substr(5), "Dxxxxx", "R{\"a\":1}", "E\n"));
}

}  // namespace
}  // namespace turnlog::record_reader_test
