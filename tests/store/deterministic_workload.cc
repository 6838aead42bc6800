#include "tests/store/deterministic_workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "schema/event/codec.h"
#include "turnlog/repair.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kTurnLength = 12;

std::uint64_t Dice(std::uint32_t conversation, std::uint64_t seq, std::string_view what) {
  return Hash64(fmt::format("{}/{}/{}", conversation, seq, what));
}

std::string Text(std::uint32_t conversation, std::uint64_t seq) {
  const std::uint64_t dice = Dice(conversation, seq, "text");
  const std::uint64_t most = dice % 100 < 70 ? 200 : dice % 100 < 97 ? 2'000 : 20'000;
  std::string text = fmt::format("{}:{} ", conversation, seq);
  const std::size_t length = Dice(conversation, seq, "length") % most;
  while (text.size() < length) text += fmt::format("{:016x} ", Dice(conversation, seq, text));
  return text;
}

// Every turn asks `t.q.1`, and one more inquiry that is unique to the turn.
InquiryId Inquiry(std::uint64_t turn, bool own) {
  return *(own ? MakeInquiryId("t", "r", static_cast<std::uint32_t>(turn)) : MakeInquiryId("t", "q", 1));
}

InquiryRequest Ask(std::uint64_t turn, bool own) {
  return {.id = Inquiry(turn, own),
          .source = {.name = "tool"},
          .question = {.text = "Really?", .answer_type = {.kind = own ? AnswerKind::kSecret : AnswerKind::kBoolean}}};
}

Event DropOf(std::uint64_t seq, std::uint64_t head) {
  const RepairTarget target{.action = RepairAction::kDrop, .anchor = {seq}, .cause = {seq}, .rule = "orphan-inquiry"};
  return ToEvent({.profile = "strict", .head = {head}, .from = {seq}, .to = {seq}, .items = {{.target = target}}}, {});
}

Event::Body BodyAt(std::uint32_t conversation, std::uint64_t seq) {
  const std::uint64_t turn = (seq - 1) / kTurnLength + 1;
  const std::uint64_t dice = Dice(conversation, seq, "body");
  switch ((seq - 1) % kTurnLength) {
    case 0:
      return TurnStart{};
    case 1:
      return ChatRequest{.content = Text(conversation, seq)};
    case 2:
      return ToolCallRequest{.id = "t", .name = "tool", .arguments = Json::FromTrusted("{\"a\":1}")};
    case 3:
      return Ask(turn, false);
    case 4:
      return Ask(turn, true);
    case 5:
      if (dice % 3 == 0) break;
      return InquiryResponse{.outcome = dice % 3 == 1 ? Outcome::kAnswered : Outcome::kCancelled,
                             .id = Inquiry(turn, false),
                             .answer = dice % 3 == 1 ? Json::FromTrusted("true") : Json(),
                             .reason = dice % 3 == 1 ? std::nullopt : std::optional<std::string>("user")};
    case 6:
      return ToolCallResponse{.id = "t", .content = Text(conversation, seq)};
    case 7:
      if (dice % 2 == 0) return DropOf(Dice(conversation, seq, "drop") % (seq - 1) + 1, seq - 1).body;
      return Verbatim{.tag = "note", .json = Json::FromTrusted(R"({"type":"note","x":[1,2]})")};
    case 8:  // unmatched if the inquiry is already answered above
      return InquiryResponse{.outcome = Outcome::kRedacted, .id = Inquiry(turn, dice % 2 == 0)};
    default:
      break;
  }
  return BasicChatResponse<std::string>{.content = Text(conversation, seq)};
}

}  // namespace

ConversationId NameOf(std::uint32_t conversation) {
  return *ConversationId::Parse(fmt::format("conversation {:04}", conversation));
}

Event EventAt(std::uint32_t conversation, std::uint64_t seq) {
  Event event{.body = BodyAt(conversation, seq)};
  if (std::holds_alternative<Verbatim>(event.body)) return event;  // its fields are copies from its JSON
  if (Dice(conversation, seq, "time") % 4 != 0)
    event.timestamp = Timestamp{static_cast<std::int64_t>(seq) * 1'000'000'007};
  if (Dice(conversation, seq, "id") % 3 == 0) event.event_id = fmt::format("event-{}", seq);
  return event;
}

std::uint64_t BatchLength(std::uint32_t conversation, std::uint64_t seq) {
  const std::uint64_t dice = Dice(conversation, seq, "batch");
  return dice % 3 != 0 ? 1 : 2 + dice / 3 % 6;
}

std::vector<Event> BatchAt(std::uint32_t conversation, std::uint64_t seq) {
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < BatchLength(conversation, seq); ++i) events.push_back(EventAt(conversation, seq + i));
  return events;
}

bool IsWhole(std::uint32_t conversation, std::uint64_t last) {
  std::uint64_t next = 1;
  while (next <= last) next += BatchLength(conversation, next);
  return next == last + 1;
}

namespace {

void ExpectBeginning(Log& log, std::uint32_t conversation, std::uint64_t last) {
  EventEncoder encoder;
  const auto cursor = log.ReadRaw(NameOf(conversation));
  ASSERT_TRUE(cursor) << cursor.error().message;
  for (std::uint64_t seq = 1; seq <= last; ++seq) {
    const auto item = (*cursor)->Next();
    ASSERT_TRUE(item) << item.error().message;
    if (const auto* damage = std::get_if<Damage>(&*item))
      FAIL() << "conversation " << conversation << ": " << ToString(*damage);
    const auto* record = std::get_if<Record>(&*item);
    ASSERT_NE(record, nullptr) << "conversation " << conversation << " ends before " << seq << " of " << last;
    ASSERT_EQ(record->seq.value, seq);
    const Event expected = EventAt(conversation, seq);
    ASSERT_EQ(record->kind, expected.kind());
    ASSERT_TRUE(record->payload == encoder.Encode(View(expected)))
        << "conversation " << conversation << ", seq " << seq;
  }
  const auto end = (*cursor)->Next();
  EXPECT_TRUE(end && std::holds_alternative<EndOfLog>(*end));
  EXPECT_TRUE(IsWhole(conversation, last)) << "conversation " << conversation << " ends within an append, at " << last;
}

}  // namespace

LastSeqs ExpectBeginnings(Log& log, const LastSeqs& at_least) {
  LastSeqs last;
  const auto all = log.List("", 1'000'000);
  EXPECT_TRUE(all) << all.error().message;
  if (!all) return last;
  for (const ConversationInfo& info : *all) {
    const auto conversation = static_cast<std::uint32_t>(std::stoul(info.id.substr(info.id.rfind(' ') + 1)));
    last[conversation] = info.last.value;
    ExpectBeginning(log, conversation, info.last.value);
  }
  for (const auto& [conversation, seq] : at_least) {
    EXPECT_GE(last[conversation], seq) << "conversation " << conversation << " has lost acknowledged events";
  }
  return last;
}

}  // namespace turnlog
