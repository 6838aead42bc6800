// The bytes of tombstones and erase intents.
#include "store/erasure/tombstone.h"

#include <gmock/gmock.h>

#include "schema/event/codec.h"
#include "store/erasure/tombstone_fields.h"
#include "tests/store/deterministic_workload.h"

namespace turnlog::tombstone_test {
namespace {

constexpr std::uint64_t kSalt = 0x5A17;
constexpr std::uint64_t kPosition = 4096;

// The frame of an event of a deterministic conversation.
class StoredEvent {
 public:
  explicit StoredEvent(const Event& event) : payload_(EventEncoder().Encode(View(event))) {
    facts_ = IndexedFieldsOf(View(event), payload_.size(), kSalt);
  }
  Frame frame() const {
    return {{.length = static_cast<std::uint32_t>(payload_.size()),
             .kind = facts_.kind,
             .batch_continues = true,
             .conversation = 7,
             .durable_back = 3,
             .seq = 11},
            kPosition,
            payload_};
  }
  const IndexedFields& fields() const { return facts_; }
  Tombstone erased() const { return EraseFrame(frame(), EncodeTombstoneFields(facts_)); }

 private:
  std::string payload_;
  IndexedFields facts_;
};

std::vector<StoredEvent> AllKinds() {
  std::vector<StoredEvent> events;
  for (std::uint32_t conversation = 0; conversation < 40; ++conversation) {
    for (std::uint64_t seq = 1; seq <= 24; ++seq) events.emplace_back(EventAt(conversation, seq));
  }
  return events;
}

void ExpectSame(const IndexedFields& fields, const IndexedFields& expected) {
  EXPECT_EQ(fields.kind, expected.kind);
  EXPECT_EQ(fields.bytes, expected.bytes);
  EXPECT_EQ(fields.time, expected.time);
  EXPECT_EQ(fields.event_id, expected.event_id);
  EXPECT_EQ(fields.inquiry, expected.inquiry);
  EXPECT_EQ(fields.secret, expected.secret);
  EXPECT_EQ(fields.answered, expected.answered);
  EXPECT_EQ(fields.repair, expected.repair);
}

TEST(ErasedFrameTest, KeepsPositionHeaderAndFieldsOfEveryEvent) {
  const FrameCodec codec(kSalt);
  for (const StoredEvent& event : AllKinds()) {
    const Tombstone erased = event.erased();
    const std::string bytes = EncodeFrame(codec, erased);
    ASSERT_EQ(bytes.size(), FrameBytes(event.frame().header.length));
    const auto frame = codec.Read(bytes, bytes.size(), kPosition);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->header.type, FrameType::kTombstone);
    EXPECT_EQ(codec.Check(*frame), codec.Check(event.frame()));
    const auto read = DecodeTombstone(*frame);
    ASSERT_TRUE(read);
    ExpectSame(read->fields, event.fields());
    EXPECT_TRUE(read->replacement.missing());
    // As decoded from the erase intent.
    const auto announced = DecodeTombstone({erased.header, kPosition, erased.fields});
    ASSERT_TRUE(announced);
    ExpectSame(announced->fields, event.fields());
  }
}

// The shortest events that can be redacted: with a text of one letter.
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

TEST(ErasedFrameTest, EveryEventHasRoomForThePositionOfItsReplacement) {
  const FrameCodec codec(kSalt);
  const FrameRef ref{.position = std::uint64_t{1} << 60, .length_in_words = 0x00FFFFFF};
  for (const StoredEvent& event : Shortest()) {
    Tombstone erased = EraseFrame(event.frame());
    ASSERT_TRUE(erased.SetFields(EncodeTombstoneFields(event.fields(), ref))) << ToString(event.fields().kind);
    const std::string bytes = EncodeFrame(codec, erased);
    const auto frame = codec.Read(bytes, bytes.size(), kPosition);
    ASSERT_TRUE(frame);
    const auto read = DecodeTombstone(*frame);
    ASSERT_TRUE(read);
    ExpectSame(read->fields, event.fields());
    EXPECT_EQ(read->replacement, ref);
  }
}

TEST(ErasedFrameTest, APositionBeforeTheEventIsInvalid) {
  EXPECT_TRUE(DecodeTombstone(
      {{.length = 40}, kPosition, EncodeTombstoneFields({}, {.position = kPosition + 8, .length_in_words = 5})}));
  EXPECT_FALSE(DecodeTombstone(
      {{.length = 40}, kPosition, EncodeTombstoneFields({}, {.position = kPosition, .length_in_words = 5})}));
}

TEST(ErasedFrameTest, HoldsNothingButFieldsAndZeros) {
  Event event{.body = ChatRequest{.content = std::string(500, 's')}};
  event.timestamp = Timestamp{-1};
  event.event_id = "an id that says something";
  const std::string bytes = EncodeFrame(FrameCodec(kSalt), StoredEvent(event).erased());
  EXPECT_EQ(bytes.find("ss"), std::string::npos);
  EXPECT_EQ(bytes.find("says"), std::string::npos);
  const std::size_t fields = 1 + 8 + 16;
  EXPECT_EQ(bytes.find_first_not_of('\0', kFrameHeaderBytes + fields), std::string::npos);
}

TEST(ErasedFrameTest, ARecordThatIsTooShortForFieldsHasNone) {
  const Frame frame{{.length = 4, .kind = EventKind::kChatRequest, .conversation = 1, .seq = 1}, kPosition, "abcd"};
  const Tombstone erased = EraseFrame(frame, EncodeTombstoneFields({.time = Timestamp{5}}));
  EXPECT_EQ(erased.fields, "");
  const std::string bytes = EncodeFrame(FrameCodec(kSalt), erased);
  const auto read = FrameCodec(kSalt).Read(bytes, bytes.size(), kPosition);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payload, std::string(4, '\0'));
  const auto event = DecodeTombstone(*read);
  ASSERT_TRUE(event);
  ExpectSame(event->fields, {.kind = EventKind::kChatRequest, .bytes = 4});
}

TEST(ErasedFrameTest, MalformedFieldsAreRefused) {
  const auto fields = [](std::string_view payload) { return DecodeTombstone({{.length = 40}, kPosition, payload}); };
  EXPECT_TRUE(fields(std::string_view("\0", 1)));
  EXPECT_FALSE(fields("\x80"));                 // a fact that this version does not know
  EXPECT_FALSE(fields("\x20\x01"));             // a range has two ends
  EXPECT_FALSE(fields("\x01seven.."));          // a time takes eight bytes
  EXPECT_FALSE(fields("\x02fifteen bytes.."));  // an id takes sixteen
}

TEST(ErasedFrameTest, AnIntentHoldsAllThatIsNeededToWriteTheFramesAgain) {
  std::vector<Tombstone> frames;
  std::uint64_t position = kPosition;
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

TEST(ErasedFrameTest, AnIntentThatIsTruncatedOrNamesALaterPositionIsRefused) {
  const std::vector<Tombstone> frames{StoredEvent(EventAt(1, 4)).erased()};
  const std::string payload = EncodeErasure(frames);
  EXPECT_TRUE(DecodeErasure(payload, frames[0].end()));
  EXPECT_FALSE(DecodeErasure(payload, frames[0].end() - 8));
  for (std::size_t length = 0; length < payload.size(); ++length) {
    EXPECT_FALSE(DecodeErasure(std::string_view(payload).substr(0, length), frames[0].end())) << length;
  }
}

}  // namespace
}  // namespace turnlog::tombstone_test
