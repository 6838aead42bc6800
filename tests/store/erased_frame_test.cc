// What is left of an erased event, byte by byte, and the announcement of an erasure.
#include "store/erased_frame.h"

#include <gmock/gmock.h>

#include "schema/codec.h"
#include "store/erased_facts.h"
#include "tests/store/deterministic_workload.h"

namespace turnlog::erased_frame_test {
namespace {

constexpr std::uint64_t kSalt = 0x5A17;
constexpr std::uint64_t kPlace = 4096;

// The frame of an event of a foretold conversation.
class StoredEvent {
 public:
  explicit StoredEvent(const Event& event) : payload_(EventEncoder().Encode(View(event))) {
    facts_ = FactsOf(View(event), payload_.size(), kSalt);
  }
  Frame frame() const {
    return {{.length = static_cast<std::uint32_t>(payload_.size()),
             .kind = facts_.kind,
             .batch_continues = true,
             .conversation = 7,
             .durable_back = 3,
             .seq = 11},
            kPlace,
            payload_};
  }
  const EventFacts& facts() const { return facts_; }
  ErasedFrame erased() const { return EraseFrame(frame(), EncodeFacts(facts_)); }

 private:
  std::string payload_;
  EventFacts facts_;
};

std::vector<StoredEvent> AllKinds() {
  std::vector<StoredEvent> events;
  for (std::uint32_t conversation = 0; conversation < 40; ++conversation) {
    for (std::uint64_t seq = 1; seq <= 24; ++seq) events.emplace_back(EventAt(conversation, seq));
  }
  return events;
}

void ExpectSame(const EventFacts& facts, const EventFacts& expected) {
  EXPECT_EQ(facts.kind, expected.kind);
  EXPECT_EQ(facts.bytes, expected.bytes);
  EXPECT_EQ(facts.time, expected.time);
  EXPECT_EQ(facts.event_id, expected.event_id);
  EXPECT_EQ(facts.inquiry, expected.inquiry);
  EXPECT_EQ(facts.secret, expected.secret);
  EXPECT_EQ(facts.answered, expected.answered);
  EXPECT_EQ(facts.repair, expected.repair);
}

TEST(ErasedFrameTest, KeepsPlaceHeaderAndFactsOfEveryEvent) {
  const FrameCodec codec(kSalt);
  for (const StoredEvent& event : AllKinds()) {
    const ErasedFrame erased = event.erased();
    const std::string bytes = EncodeFrame(codec, erased);
    ASSERT_EQ(bytes.size(), FrameBytes(event.frame().header.length));
    const auto frame = codec.Read(bytes, bytes.size(), kPlace);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->header.type, FrameType::kErased);
    EXPECT_EQ(codec.Check(*frame), codec.Check(event.frame()));
    const auto read = DecodeErased(*frame);
    ASSERT_TRUE(read);
    ExpectSame(read->facts, event.facts());
    EXPECT_TRUE(read->replacement.missing());
    // As it is known from its announcement.
    const auto announced = DecodeErased({erased.header, kPlace, erased.facts});
    ASSERT_TRUE(announced);
    ExpectSame(announced->facts, event.facts());
  }
}

// Whatever is to be redacted has a text of at least one letter.
std::vector<StoredEvent> Shortest() {
  const InquiryId id{.text = "i", .key = {}};
  std::vector<Event> events{
      {.body = ChatRequest{.content = "c"}},
      {.body = ChatResponse{.content = "c"}},
      {.body = ToolCallRequest{.id = "i", .name = "n", .arguments = {}}},
      {.body = ToolCallResponse{.id = "i", .content = "c", .denied = {}}},
      {.body = InquiryRequest{.id = id, .source = {}, .question = {.text = "t"}, .escalated_from = {}}},
      {.body = InquiryResponse{.id = id, .answer = Json::FromTrusted("1"), .reason = {}, .responder = {}}},
      {.body = Verbatim{.tag = "x", .json = Json::FromTrusted(R"({"type":"x","a":1})")}},
  };
  std::vector<StoredEvent> stored;
  for (Event& event : events) {
    event.timestamp = Timestamp{-1};
    event.event_id = "e";
    stored.emplace_back(event);
  }
  return stored;
}

TEST(ErasedFrameTest, EveryEventHasRoomForThePlaceOfItsRedactedForm) {
  const FrameCodec codec(kSalt);
  const FrameRef place{.position = std::uint64_t{1} << 60, .units = 0x00FFFFFF};
  for (const StoredEvent& event : Shortest()) {
    ErasedFrame erased = EraseFrame(event.frame());
    ASSERT_TRUE(erased.SetFacts(EncodeFacts(event.facts(), place))) << ToString(event.facts().kind);
    const std::string bytes = EncodeFrame(codec, erased);
    const auto frame = codec.Read(bytes, bytes.size(), kPlace);
    ASSERT_TRUE(frame);
    const auto read = DecodeErased(*frame);
    ASSERT_TRUE(read);
    ExpectSame(read->facts, event.facts());
    EXPECT_EQ(read->replacement, place);
  }
}

TEST(ErasedFrameTest, APlaceInFrontOfTheEventIsNone) {
  EXPECT_TRUE(DecodeErased({{.length = 40}, kPlace, EncodeFacts({}, {.position = kPlace + 8, .units = 5})}));
  EXPECT_FALSE(DecodeErased({{.length = 40}, kPlace, EncodeFacts({}, {.position = kPlace, .units = 5})}));
}

TEST(ErasedFrameTest, HoldsNothingButFactsAndZeros) {
  Event event{.body = ChatRequest{.content = std::string(500, 's')}};
  event.timestamp = Timestamp{-1};
  event.event_id = "an id that says something";
  const std::string bytes = EncodeFrame(FrameCodec(kSalt), StoredEvent(event).erased());
  EXPECT_EQ(bytes.find("ss"), std::string::npos);
  EXPECT_EQ(bytes.find("says"), std::string::npos);
  const std::size_t facts = 1 + 8 + 16;
  EXPECT_EQ(bytes.find_first_not_of('\0', kFrameHeaderBytes + facts), std::string::npos);
}

TEST(ErasedFrameTest, ARecordThatIsTooShortForFactsHasNone) {
  const Frame frame{{.length = 4, .kind = EventKind::kChatRequest, .conversation = 1, .seq = 1}, kPlace, "abcd"};
  const ErasedFrame erased = EraseFrame(frame, EncodeFacts({.time = Timestamp{5}}));
  EXPECT_EQ(erased.facts, "");
  const std::string bytes = EncodeFrame(FrameCodec(kSalt), erased);
  const auto read = FrameCodec(kSalt).Read(bytes, bytes.size(), kPlace);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payload, std::string(4, '\0'));
  const auto event = DecodeErased(*read);
  ASSERT_TRUE(event);
  ExpectSame(event->facts, {.kind = EventKind::kChatRequest, .bytes = 4});
}

TEST(ErasedFrameTest, FactsThatCannotBeReadAreNone) {
  const auto facts = [](std::string_view payload) { return DecodeErased({{.length = 40}, kPlace, payload}); };
  EXPECT_TRUE(facts(std::string_view("\0", 1)));
  EXPECT_FALSE(facts("\x80"));                 // a fact that this version does not know
  EXPECT_FALSE(facts("\x20\x01"));             // a range has two ends
  EXPECT_FALSE(facts("\x01seven.."));          // a time takes eight bytes
  EXPECT_FALSE(facts("\x02fifteen bytes.."));  // an id takes sixteen
}

TEST(ErasedFrameTest, AnAnnouncementHoldsAllThatIsNeededToWriteTheFramesAgain) {
  std::vector<ErasedFrame> frames;
  std::uint64_t position = kPlace;
  for (const StoredEvent& event : AllKinds()) {
    frames.push_back(event.erased());
    frames.back().position = position;
    position = frames.back().end();
  }
  const auto again = DecodeErasure(EncodeErasure(frames), position);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(EncodeFrame(FrameCodec(kSalt), (*again)[i]), EncodeFrame(FrameCodec(kSalt), frames[i]));
  }
}

TEST(ErasedFrameTest, AnAnnouncementThatIsCutOrNamesALaterPlaceIsNone) {
  const std::vector<ErasedFrame> frames{StoredEvent(EventAt(1, 4)).erased()};
  const std::string payload = EncodeErasure(frames);
  EXPECT_TRUE(DecodeErasure(payload, frames[0].end()));
  EXPECT_FALSE(DecodeErasure(payload, frames[0].end() - 8));
  for (std::size_t length = 0; length < payload.size(); ++length) {
    EXPECT_FALSE(DecodeErasure(std::string_view(payload).substr(0, length), frames[0].end())) << length;
  }
}

}  // namespace
}  // namespace turnlog::erased_frame_test
