// Lines that several threads parse become the same items in the same order as on one thread.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "migrate/jsonl/line_pieces.h"
#include "migrate/jsonl/reader.h"
#include "migrate/sources/source.h"
#include "turnlog/event_json.h"

namespace turnlog::line_blocks_test {
namespace {

using testing::ElementsAreArray;

// Text that can be read up to some byte.
class Torn : public ByteSource {
 public:
  Torn(std::string text, std::optional<std::uint64_t> fails_at) : text_(std::move(text)), fails_at_(fails_at) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    if (fails_at_ && offset + out.size() > *fails_at_) return std::unexpected(Error{ErrorCode::kIo, "torn"});
    const std::size_t size = std::min<std::uint64_t>(out.size(), text_.size() - std::min(offset, text_.size()));
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(offset), size, out.begin());
    return size;
  }

 private:
  const std::string text_;
  const std::optional<std::uint64_t> fails_at_;
};

std::string Describe(const SourceItem& item) {
  if (const auto* event = std::get_if<SourceEvent>(&item)) {
    return std::string(event->conversation) + " " + std::to_string(event->seq ? event->seq->value : 0) + " " +
           ToJson(event->event.View()) + " line " + std::to_string(event->location.line.value_or(0)) + ", " +
           std::to_string(event->size);
  }
  if (const auto* fault = std::get_if<SourceFault>(&item)) {
    return fault->conversation.value_or("?") + " " + fault->problem.reason + " line " +
           std::to_string(fault->problem.line.value_or(0)) + " byte " + std::to_string(fault->problem.byte.value_or(0));
  }
  if (const auto* point = std::get_if<SourceResumePoint>(&item)) return "resume " + std::to_string(point->offset);
  return "end " + std::to_string(std::get<EndOfSource>(item).size);
}

std::vector<std::string> ReadAll(const std::string& text, unsigned threads,
                                 std::optional<std::uint64_t> fails_at = {}) {
  SourceFile file("lines.jsonl", std::make_shared<Torn>(text, fails_at));
  JsonlReader reader(file, {}, threads);
  std::vector<std::string> all;
  for (;;) {
    const auto item = reader.Next();
    all.push_back(item ? Describe(*item) : item.error().message);
    if (!item || std::holds_alternative<EndOfSource>(*item)) return all;
  }
}

// With lines that are blank, broken, or longer than a block.
std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const std::string name = i % 7 == 0 ? std::string() : R"("conversation":"c)" + std::to_string(i % 5) + "\",";
    const std::string words(i % 1'000 == 999 ? 400'000 : 100, 'x');
    text += "{" + name + R"("type":"chat_request","content":")" + number + R"(\n)" + words + "\"}\n";
    if (i % 11 == 0) text += i % 2 == 0 ? "\n" : "  \n";
    if (i % 500 == 13)
      text += R"({"conversation":"bad","type":"chat_request","content":7})"
              "\n";
    if (i == count / 2) text += "{\"type\":\n";
  }
  return text;
}

TEST(LineBlocksTest, AreTheSameWithAnyNumberOfThreads) {
  for (const int count : {0, 1, 20, 12'000}) {
    for (const char* end : {"", R"({"type":"turn_start","turn":1})"}) {
      const std::string text = Lines(count) + end;
      const auto expected = ReadAll(text, 0);
      ASSERT_GE(expected.size(), static_cast<std::size_t>(count));
      for (const unsigned threads : {1U, 3U}) {
        EXPECT_THAT(ReadAll(text, threads), ElementsAreArray(expected)) << count << " lines, " << threads << " threads";
      }
    }
  }
}

TEST(LineBlocksTest, AnErrorComesAfterTheLinesBeforeIt) {
  const std::string text = Lines(12'000);
  const auto expected = ReadAll(text, 0, text.size() / 2);
  ASSERT_EQ(expected.back(), "torn");
  ASSERT_GT(expected.size(), 1'000U);
  EXPECT_THAT(ReadAll(text, 2, text.size() / 2), ElementsAreArray(expected));
}

// Most bytes of a block are then lines, not text: not all of them are parsed at once.
TEST(LineBlocksTest, ShortLinesAreCountedAcrossBlocks) {
  constexpr std::uint64_t kLines = 300'000;
  std::string text;
  for (std::uint64_t i = 0; i < kLines; ++i) text += "1\n";
  for (const unsigned threads : {0U, 2U}) {
    SourceFile file("lines.jsonl", std::make_shared<Torn>(text, std::nullopt));
    JsonlReader reader(file, {}, threads);
    for (std::uint64_t i = 1; i <= kLines; ++i) {
      const auto item = reader.Next();
      ASSERT_TRUE(item);
      const auto* fault = std::get_if<SourceFault>(&*item);
      ASSERT_NE(fault, nullptr);
      ASSERT_EQ(fault->problem.line, i);
    }
    ASSERT_TRUE(std::holds_alternative<SourceResumePoint>(*reader.Next()));
  }
}

// What lines have in common with a file that ends anywhere: their text, place and breaks.
TEST(LineBlocksTest, PiecesAreWholeLinesOfAnyLength) {
  for (const std::size_t size : {0UL, 1UL, 1'000UL, 262'143UL, 262'144UL, 262'145UL, 1'500'000UL}) {
    for (const char* end : {"", "\n", "\nlast", "\n\n"}) {
      const std::string text = "first\n" + std::string(size, 'x') + end;
      SourceFile file("lines.jsonl", std::make_shared<Torn>(text, std::nullopt));
      LinePieces pieces(file, 0);
      LinePiece piece;
      std::string all;
      for (bool more = true; more;) {
        const auto next = pieces.Next(piece);
        ASSERT_TRUE(next);
        more = *next;
        EXPECT_EQ(piece.offset(), all.size());
        all += piece.text();
        EXPECT_EQ(piece.end(), all.size());
        EXPECT_TRUE(!more || piece.text().ends_with('\n'));
      }
      EXPECT_EQ(all, text) << size;
      EXPECT_EQ(pieces.end(), text.size());
      EXPECT_EQ(pieces.has_break(), text.ends_with('\n'));
    }
  }
}

TEST(LineBlocksTest, EndsInTheMiddle) {
  const std::string text = Lines(12'000);
  for (int items = 0; items < 9'000; items += 1'500) {
    SourceFile file("lines.jsonl", std::make_shared<Torn>(text, std::nullopt));
    JsonlReader reader(file, {}, 2);
    for (int i = 0; i < items; ++i) ASSERT_TRUE(reader.Next());
  }
}

}  // namespace
}  // namespace turnlog::line_blocks_test
