// Reading on a thread of its own returns what the reader returns, for as long as it says.
#include "migrate/import/read_ahead.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::read_ahead_test {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

// Each item is in the same few strings, and gone with the next one.
class Forgetful : public SourceReader {
 public:
  Forgetful(std::size_t items, std::size_t text_bytes) : items_(items), text_bytes_(text_bytes) {}

  Result<SourceItem> Next() override {
    if (returned_ == items_)
      return fails ? Result<SourceItem>(std::unexpected(Error{ErrorCode::kIo, "torn"})) : EndOfSource{7};
    const std::string number = std::to_string(returned_++);
    conversation_ = "conversation " + std::to_string(returned_ / 3);
    text_ = number + std::string(text_bytes_, 'x');
    InquiryRequest asks{
        .id = Must(MakeInquiryId("call " + number, "what", 1)), .source = {}, .question = {}, .escalated_from = {}};
    asks.question.text = text_;
    asks.question.answer_type.kind = AnswerKind::kSelect;
    for (const char* option : {"\"one\"", "\"two\""}) {
      asks.question.answer_type.options.push_back({Json::FromTrusted(option), number, {}});
    }
    event_ = {
        .body = std::move(asks), .timestamp = {}, .event_id = number, .metadata = {}, .extra = {}, .source_text = {}};
    switch (returned_ % 5) {
      case 0:
        return SourcePart{.conversation = conversation_, .name = number, .bytes = text_};
      case 1:
        return SourceNote{.conversation = conversation_, .note = {.reason = number}};
      case 2: {
        HeldEvent held = HeldEvent::Encode(View(event_));
        return Item(held.event, std::move(held.memory));
      }
      default:
        returned_event_ = HeldEvent::Encode(View(event_));
        return Item(returned_event_.event, nullptr);
    }
  }

  bool fails = false;

 private:
  SourceItem Item(const EncodedEvent& event, EventMemory memory) {
    return SourceEvent{
        .conversation = conversation_, .seq = {}, .event = event, .memory = std::move(memory), .location = {}};
  }

  const std::size_t items_, text_bytes_;
  std::size_t returned_ = 0;
  std::string conversation_, text_;
  Event event_;
  HeldEvent returned_event_;
};

std::string Describe(const SourceItem& item) {
  if (const auto* event = std::get_if<SourceEvent>(&item)) {
    return std::string(event->conversation) + " " + ToJson(event->event.View());
  }
  if (const auto* part = std::get_if<SourcePart>(&item)) return std::string(part->conversation) + " " + part->bytes;
  if (const auto* note = std::get_if<SourceNote>(&item))
    return std::string(note->conversation) + " " + note->note.reason;
  return "end " + std::to_string(std::get<EndOfSource>(item).size);
}

// Until the end, or an error.
std::vector<std::string> ReadAll(SourceReader& reader) {
  std::vector<std::string> all;
  for (;;) {
    const auto item = reader.Next();
    all.push_back(item ? Describe(*item) : item.error().message);
    if (!item || std::holds_alternative<EndOfSource>(*item)) return all;
  }
}

// Of one batch, of many, and of batches with one item that is larger than they are.
TEST(ReadAheadTest, ReturnsTheSameItems) {
  for (const auto& [items, bytes] : {std::pair{20, 10}, {20'000, 10}, {3'000, 3'000}, {10, 1 << 20}}) {
    Forgetful expected(static_cast<std::size_t>(items), static_cast<std::size_t>(bytes));
    ReadAhead ahead(std::make_unique<Forgetful>(items, bytes));
    EXPECT_THAT(ReadAll(ahead), ElementsAreArray(ReadAll(expected))) << items << " items";
  }
}

TEST(ReadAheadTest, AnErrorComesAfterTheItemsBeforeIt) {
  Forgetful expected(5'000, 100);
  expected.fails = true;
  auto failing = std::make_unique<Forgetful>(5'000, 100);
  failing->fails = true;
  ReadAhead ahead(std::move(failing));
  EXPECT_THAT(ReadAll(ahead), ElementsAreArray(ReadAll(expected)));
}

TEST(ReadAheadTest, EndsInTheMiddle) {
  for (int items = 0; items < 3'000; items += 500) {
    ReadAhead ahead(std::make_unique<Forgetful>(100'000, 100));
    for (int i = 0; i < items; ++i) ASSERT_TRUE(ahead.Next());
  }
}

// How many items were read when nobody takes them any more.
TEST(ReadAheadTest, ReadsOnlySoFarAhead) {
  class Counting : public SourceReader {
   public:
    explicit Counting(std::atomic<std::size_t>& count) : count_(count) {}
    Result<SourceItem> Next() override {
      ++count_;
      return SourcePart{.conversation = "a", .name = "b", .bytes = std::string(64 << 10, 'x')};
    }

   private:
    std::atomic<std::size_t>& count_;
  };
  std::atomic<std::size_t> count = 0;
  ReadAhead ahead(std::make_unique<Counting>(count));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(ahead.Next());
  for (std::size_t before = 0; before != count; std::this_thread::sleep_for(std::chrono::milliseconds(200)))
    before = count;
  EXPECT_LT(count, 200U);  // 64 MiB of parts would be a thousand
}

}  // namespace
}  // namespace turnlog::read_ahead_test
