#include "schema/event/codec.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "schema/event/encoded_size.h"
#include "tests/schema/aligned_bytes.h"
#include "tests/schema/built_event.h"
#include "tests/schema/sample_events.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/repair.h"
#include "turnlog/types.h"

namespace turnlog::codec_test {
namespace {

std::string Encoded(const Event& event) {
  EventEncoder encoder;
  return std::string(encoder.Encode(View(event)));
}

ErrorCode DecodeError(std::string_view bytes) {
  AlignedBytes aligned(bytes);
  const auto event = DecodeEvent(aligned.view());
  return event ? ErrorCode{255} : event.error().code;
}

class Samples : public testing::TestWithParam<SampleEvent> {};

INSTANTIATE_TEST_SUITE_P(Codec, Samples, testing::ValuesIn(SampleEvents()),
                         [](const auto& sample) { return sample.param.name; });

TEST_P(Samples, AreValid) {
  const Status status = Validate(View(GetParam().event));
  EXPECT_TRUE(status) << status.error().message;
}

TEST_P(Samples, OwnAndViewKeepEverything) { EXPECT_EQ(Own(View(GetParam().event)), GetParam().event); }

TEST_P(Samples, DecodeToWhatWasEncoded) {
  EventEncoder encoder;
  const auto decoded = DecodeEvent(encoder.Encode(View(GetParam().event)));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(Own(*decoded), GetParam().event);
}

TEST_P(Samples, TellWhatIndexesNeedAlone) {
  EventEncoder encoder;
  const std::string_view payload = encoder.Encode(View(GetParam().event));
  EXPECT_EQ(Must(DecodeTime(payload)), GetParam().event.timestamp);
  const EventLabel label = Must(DecodeLabel(payload));
  EXPECT_EQ(label.time, GetParam().event.timestamp);
  EXPECT_EQ(label.event_id, View(GetParam().event).event_id);
  EXPECT_EQ(label.inquiry, InquiryLabelOf(View(GetParam().event)));
}

// Nothing else than the whole event says.
TEST_P(Samples, TellIndexesNothingElseWhenDamaged) {
  std::string bytes = Encoded(GetParam().event);
  const auto compare = [](std::string_view damaged) {
    AlignedBytes aligned(damaged);
    const auto time = DecodeTime(aligned.view());
    const auto label = DecodeLabel(aligned.view());
    const auto event = DecodeEvent(aligned.view());
    if (!event) return;
    ASSERT_TRUE(time) << time.error().message;
    EXPECT_EQ(*time, event->timestamp);
    ASSERT_TRUE(label) << label.error().message;
    EXPECT_EQ(label->time, event->timestamp);
    EXPECT_EQ(label->event_id, event->event_id);
    EXPECT_EQ(label->inquiry, InquiryLabelOf(*event));
  };
  for (std::size_t size = 0; size < bytes.size(); ++size) compare(std::string_view(bytes).substr(0, size));
  for (char& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      compare(bytes);
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }
}

TEST_P(Samples, AreWrittenAsFlatBuffersBuilderWould) {
  EXPECT_EQ(Encoded(GetParam().event), BuildEvent(View(GetParam().event)));
}

TEST_P(Samples, AreDecodedWithoutCopies) {
  EventEncoder encoder;
  const std::string_view payload = encoder.Encode(View(GetParam().event));
  const auto decoded = DecodeEvent(payload);
  ASSERT_TRUE(decoded);
  for (const std::string_view text : {decoded->event_id.value_or(payload), decoded->metadata.text(),
                                      decoded->extra.text(), decoded->source_text.value_or(payload)}) {
    if (text.empty()) continue;
    EXPECT_GE(text.data(), payload.data());
    EXPECT_LE(text.data() + text.size(), payload.data() + payload.size());
  }
}

TEST_P(Samples, TruncatedAnywhereAreRefusedOrDecode) {
  const std::string bytes = Encoded(GetParam().event);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    AlignedBytes cut(std::string_view(bytes).substr(0, size));
    if (const auto event = DecodeEvent(cut.view())) ToJson(*event);
  }
}

TEST_P(Samples, WithAnyBitFlippedAreRefusedOrDecode) {
  AlignedBytes bytes(Encoded(GetParam().event));
  for (std::size_t bit = 0; bit < bytes.view().size() * 8; ++bit) {
    char& byte = bytes.data()[bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
    if (const auto event = DecodeEvent(bytes.view())) ToJson(Own(*event));
    byte = static_cast<char>(byte ^ (1 << bit % 8));
  }
}

TEST(Codec, TheSameEventGivesTheSameBytesWhateverWasEncodedBefore) {
  EventEncoder encoder;
  for (const auto& [name, event] : SampleEvents()) {
    EXPECT_EQ(encoder.Encode(View(event)), Encoded(event)) << name;
  }
}

TEST(Codec, EncodesAfterWipe) {
  EventEncoder encoder;
  const Event event = SampleEvents().back().event;
  const std::string before(encoder.Encode(View(event)));
  encoder.Wipe();
  EXPECT_EQ(encoder.Encode(View(event)), before);
}

// Memory as it is, whoever it belongs to by now; empty if it is not there any more.
std::string RawMemory(std::uintptr_t address, std::size_t size) {
  std::string bytes(size, '\0');
  const int memory = open("/proc/self/mem", O_RDONLY);
  const ssize_t got = pread(memory, bytes.data(), size, static_cast<off_t>(address));
  close(memory);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

TEST(Codec, NothingOfAnEventStaysInMemoryAfterWipeGrowthAndDestruction) {
  constexpr std::string_view kMarker = "correct horse battery staple";
  Event secret, large, small;
  small.body = TurnStart{};
  secret.body = ChatRequest{std::string(kMarker) + std::string(1'000, 'x'), {}, {}};
  large.body = ChatRequest{std::string(100'000, 'x'), {}, {}};
  const std::vector<std::function<void(std::optional<EventEncoder>&)>> ends{
      [](auto& encoder) { encoder->Wipe(); },
      [&](auto& encoder) {
        encoder->Encode(View(small));
        encoder->Wipe();
      },
      [&](auto& encoder) { encoder->Encode(View(large)); },
      [](auto& encoder) { encoder.reset(); },
  };
  for (const auto& end : ends) {
    std::optional<EventEncoder> encoder(std::in_place);
    const std::string_view payload = encoder->Encode(View(secret));
    const auto address = reinterpret_cast<std::uintptr_t>(payload.data());
    const std::size_t size = payload.size();
    ASSERT_TRUE(RawMemory(address, size).contains(kMarker));
    end(encoder);
    EXPECT_FALSE(RawMemory(address, size).contains(kMarker));
  }
}

TEST(Codec, SmallEventsAfterAVeryLargeOne) {
  EventEncoder encoder;
  Event large;
  large.body = ChatRequest{std::string(std::size_t{20} << 20, 'x'), {}, {}};
  EXPECT_GT(encoder.Encode(View(large)).size(), std::size_t{20} << 20);
  for (const auto& [name, event] : SampleEvents()) EXPECT_EQ(encoder.Encode(View(event)), Encoded(event)) << name;
}

TEST(Codec, PayloadsLieAligned) {
  EventEncoder encoder;
  for (const auto& [name, event] : SampleEvents()) {
    const auto address = reinterpret_cast<std::uintptr_t>(encoder.Encode(View(event)).data());
    EXPECT_EQ(address % kPayloadAlignment, 0u) << name;
  }
}

// Every optional field there or not, texts of every length around an alignment, and more layouts of tables than are
// kept without an allocation.
TEST(Codec, RandomEventsAreWrittenAsFlatBuffersBuilderWould) {
  std::mt19937 random(11);
  const auto maybe = [&](auto value) { return random() % 2 == 0 ? decltype(value)() : std::move(value); };
  const auto text = [&] { return std::string(random() % 20, static_cast<char>('a' + random() % 26)); };
  const auto json = [&] { return Json::FromTrusted("{\"" + text() + "\":1}"); };
  const auto bare = [&](Event::Body body) {
    Event event{.body = std::move(body)};
    event.timestamp = maybe(std::optional(Timestamp{static_cast<std::int64_t>(random())}));
    event.event_id = maybe(std::optional(text()));
    event.metadata = maybe(json()), event.extra = maybe(json());
    event.source_text = maybe(std::optional(text()));
    return event;
  };
  const auto inquiry = [&] {
    InquiryRequest request{.id = {.text = "a.b.1", .key = maybe(std::optional(InquiryKey{"a", "b", 1}))}};
    request.source = {static_cast<SourceKind>(random() % 4), maybe(text()), maybe(json())};
    request.question = {.text = text(), .default_value = maybe(json()), .context = maybe(std::optional(text()))};
    request.question.exclusive = maybe(std::optional(random() % 2 == 0));
    request.question.persistence = maybe(std::optional(text())), request.question.extra = maybe(json());
    auto& type = request.question.answer_type;
    type = {.kind = static_cast<AnswerKind>(random() % 6), .schema = maybe(json()), .extra = maybe(json())};
    type.other = random() % 2 == 0;
    for (std::size_t i = random() % 9; i > 0; --i) {
      type.options.push_back({json(), maybe(std::optional(text())), maybe(json())});
    }
    request.escalated_from = maybe(std::optional(text()));
    return request;
  };
  for (int round = 0; round < 2000; ++round) {
    const Event plain = bare(inquiry());
    EXPECT_EQ(Encoded(plain), BuildEvent(View(plain)));
    Repair repair{.profile = text(), .head = {random()}, .from = {random() % 2}, .to = {random() % 2}};
    for (std::size_t i = random() % 40; i > 0; --i) {
      RepairItem item{{static_cast<RepairAction>(random() % 3), {random() % 2}, {random() % 2}, text()}};
      if (random() % 2 == 0) item.event = bare(inquiry());
      item.extra = maybe(json());
      repair.items.push_back(std::move(item));
    }
    for (std::size_t i = random() % 4; i > 0; --i) repair.undoes.push_back({random()});
    const Event repaired = ToEvent(repair, std::nullopt);
    ASSERT_EQ(Encoded(repaired), BuildEvent(View(repaired)));
  }
}

TEST(Codec, UnalignedPayloadIsRefused) {
  const std::string bytes = Encoded(SampleEvents().front().event);
  AlignedBytes shifted("xxxx" + bytes);
  const auto event = DecodeEvent(shifted.view().substr(4));
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::kInvalidArgument);
}

TEST(Codec, OtherFormatsAreUnsupported) {
  std::string bytes = Encoded(SampleEvents().front().event);
  bytes.replace(4, 4, "TLE2");
  EXPECT_EQ(DecodeError(bytes), ErrorCode::kUnsupportedVersion);
}

TEST(Codec, EmptyAndRandomBytesAreRefused) {
  EXPECT_EQ(DecodeError(""), ErrorCode::kCorruption);
  EXPECT_EQ(DecodeError("1234567"), ErrorCode::kCorruption);
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(8 + random() % 200, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random() % 16); });
    bytes.replace(4, 4, "TLE1");
    EXPECT_EQ(DecodeError(bytes), ErrorCode::kCorruption);
  }
}

// Replaces the one place where `from` stands in the encoded event.
std::string Patched(const Event& event, std::string_view from, std::string_view to) {
  std::string bytes = Encoded(event);
  const std::size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(bytes.find(from, at + 1), std::string::npos);
  return bytes.replace(at, from.size(), to);
}

TEST(Codec, IdThatDoesNotFitItsPartsIsRefused) {
  Event event;
  event.body = InquiryResponse{Outcome::kAnswered, {"call.q.12", InquiryKey{"call", "q", 12}}, J("1"), {}, {}};
  EXPECT_EQ(DecodeError(Patched(event, "call.q.12", "call.q.13")), ErrorCode::kCorruption);
  EXPECT_EQ(DecodeError(Patched(event, "call.q.12", "callxq.12")), ErrorCode::kCorruption);
  EXPECT_EQ(DecodeError(Patched(event, "call.q.12", "call.qx12")), ErrorCode::kCorruption);
  EXPECT_EQ(DecodeError(Patched(event, "call.q.12", "cold.q.12")), ErrorCode{255});
}

// Whoever wrote it: readers go by the range that a repair says, and a repair within a repair would have no end.
TEST(Codec, RepairsThatContradictThemselvesAreRefused) {
  const RepairItem drop{{RepairAction::kDrop, {3}, {3}, "r"}};
  const Event nested = ToEvent(Repair{.profile = "p"}, std::nullopt);
  for (const Repair& repair : std::vector<Repair>{
           {.profile = "p", .head = {9}, .from = {5}, .to = {4}},
           {.profile = "p", .head = {3}, .from = {1}, .to = {4}},
           {.profile = "p", .head = {UINT64_MAX}, .from = {1}, .to = {4}},
           {.profile = "p", .head = {9}, .from = {4}, .to = {9}, .items = {drop}},
           {.profile = "p", .head = {9}, .from = {1}, .to = {9}, .undoes = {{10}}},
           {.profile = "p", .head = {9}, .from = {1}, .to = {9}, .items = {{drop.target, Event{}}}},
           {.profile = "p", .head = {9}, .from = {1}, .to = {9}, .items = {{{RepairAction::kInsert, {3}, {3}, "r"}}}},
           {.profile = "p", .from = {0}, .to = {0}, .items = {{{RepairAction::kInsert, {0}, {0}, "r"}, nested}}}}) {
    EXPECT_EQ(DecodeError(Encoded(ToEvent(repair, std::nullopt))), ErrorCode::kCorruption);
  }
  Event redaction;
  redaction.body = RedactionRecord{.by = "b", .rules = {{"r", 1, {{{3}, {2}}}, {}}}};
  EXPECT_EQ(DecodeError(Encoded(redaction)), ErrorCode::kCorruption);
}

// As many tables as an event can have: each item and what it inserts are two or more.
TEST(Codec, KeepsManyItems) {
  Repair repair{.profile = "p", .head = {50'000}, .from = {0}, .to = {50'000}};
  for (std::uint64_t i = 1; i <= 50'000; ++i) {
    repair.items.push_back({{RepairAction::kInsert, {i}, {i}, "r"}, Event{}});
  }
  const Event event = ToEvent(repair, std::nullopt);
  ASSERT_TRUE(Validate(View(event)));
  AlignedBytes bytes(Encoded(event));
  EXPECT_LE(bytes.view().size(), EncodedSizeBound(View(event)));
  EXPECT_EQ(Own(DecodeEvent(bytes.view()).value()), event);
}

TEST(Codec, KeepsTheLargestAttemptAndLongestId) {
  Event event;
  const InquiryId id = *MakeInquiryId(std::string(kMaxIdBytes - 13, 't'), "q", UINT32_MAX);
  event.body = InquiryResponse{Outcome::kRedacted, id, {}, {}, {}};
  ASSERT_TRUE(Validate(View(event)));
  AlignedBytes bytes(Encoded(event));
  EXPECT_EQ(Own(DecodeEvent(bytes.view()).value()), event);
}

TEST(Codec, KeepsExtremeTimestamps) {
  for (const std::int64_t nanos : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    Event event;
    event.timestamp = Timestamp{nanos};
    AlignedBytes bytes(Encoded(event));
    EXPECT_EQ(DecodeEvent(bytes.view()).value().timestamp, Timestamp{nanos});
  }
}

TEST(Codec, KeepsEmptyTextsApartFromAbsentOnes) {
  Event event;
  event.body = ChatRequest{"", "", {}};
  event.source_text = "";
  AlignedBytes bytes(Encoded(event));
  EXPECT_EQ(Own(DecodeEvent(bytes.view()).value()), event);
}

TEST(Codec, KeepsManyOptionsAndLargeTexts) {
  InquiryRequest request{{"i", {}},
                         {SourceKind::kAssistant, "", {}},
                         {"?", {AnswerKind::kSelect, {}, false, {}, {}}, {}, {}, {}, {}, {}},
                         {}};
  for (std::size_t i = 0; i < kMaxSelectOptions; ++i) {
    request.question.answer_type.options.push_back({J(std::to_string(i)), "d", {}});
  }
  request.question.text = std::string(std::size_t{64} << 20, 'x');
  Event event;
  event.body = request;
  ASSERT_TRUE(Validate(View(event)));
  AlignedBytes bytes(Encoded(event));
  EXPECT_EQ(Own(DecodeEvent(bytes.view()).value()), event);
}

}  // namespace
}  // namespace turnlog::codec_test
