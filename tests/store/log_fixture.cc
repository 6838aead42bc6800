#include "tests/store/log_fixture.h"

#include <fmt/format.h>

#include "store/engine/event_log.h"
#include "tests/support/copy_store.h"
#include "turnlog/repair.h"

namespace turnlog {
namespace {

Event Make(Event::Body body) {
  Event event;
  event.body = std::move(body);
  return event;
}

Event MakeAsk(const InquiryId& id, AnswerKind kind) {
  return Make(
      InquiryRequest{.id = id, .source = {.name = "tool"}, .question = {.text = "?", .answer_type = {.kind = kind}}});
}

std::string Number(const std::optional<Seq>& seq) { return seq ? std::to_string(seq->value) : "-"; }

}  // namespace

ConversationId Id(std::string_view text) { return Must(ConversationId::Parse(text)); }
InquiryId Opaque(std::string_view text) { return {std::string(text), std::nullopt}; }
InquiryId Keyed(std::string_view tool_call, std::string_view question, std::uint32_t attempt) {
  return Must(MakeInquiryId(tool_call, question, attempt));
}

Event NewTurn() { return Make(TurnStart{}); }
Event Say(std::string_view text) { return Make(ChatRequest{.content = std::string(text)}); }
Event Ask(const InquiryId& id) { return MakeAsk(id, AnswerKind::kText); }
Event AskSecret(const InquiryId& id) { return MakeAsk(id, AnswerKind::kSecret); }
Event Answer(const InquiryId& id) {
  return Make(InquiryResponse{.outcome = Outcome::kAnswered, .id = id, .answer = JsonString("hush-hush")});
}
Event Cancel(const InquiryId& id) {
  return Make(InquiryResponse{.outcome = Outcome::kCancelled, .id = id, .reason = "user"});
}
Event Redacted(const InquiryId& id) { return Make(InquiryResponse{.outcome = Outcome::kRedacted, .id = id}); }
Event Named(std::string_view event_id, Event event) {
  event.event_id = std::string(event_id);
  return event;
}
Event Repaired(std::uint64_t from, std::uint64_t to) {
  Repair repair{.profile = "strict", .head = {to}, .from = {from}, .to = {to}};
  for (const Seq seq : {Seq{from}, Seq{to}}) {
    const RepairTarget drop{.action = RepairAction::kDrop, .anchor = seq, .cause = seq, .rule = "orphan-tool-result"};
    if (repair.items.empty() || from != to) repair.items.push_back({.target = drop, .event = {}});
  }
  return ToEvent(repair, {});
}

std::string Brief(const EventView& event) {
  using View = std::string_view;
  if (event.kind() == EventKind::kTurnStart) return "turn";
  if (const auto* said = std::get_if<BasicChatRequest<View>>(&event.body)) return std::string(said->content);
  if (const auto* ask = std::get_if<BasicInquiryRequest<View>>(&event.body)) return fmt::format("ask {}", ask->id.text);
  if (const auto* response = std::get_if<BasicInquiryResponse<View>>(&event.body)) {
    constexpr std::array kWords{"answer", "cancel", "redacted"};
    return fmt::format("{} {}", kWords.at(static_cast<std::size_t>(response->outcome)), response->id.text);
  }
  return std::string(ToString(event.kind()));
}

std::string Line(const Item& item) {
  if (std::holds_alternative<EndOfLog>(item)) return "end";
  if (const auto* damage = std::get_if<Damage>(&item)) return "damage: " + ToString(*damage);
  if (const auto* erased = std::get_if<Erased>(&item)) {
    return fmt::format("{} {} erased {}", erased->seq.value, erased->turn.value, ToString(erased->kind));
  }
  const auto& record = std::get<Record>(item);
  const EventView event = Must(record.Decode());
  EXPECT_EQ(record.kind, event.kind());
  return fmt::format("{} {} {}", record.seq.value, record.turn.value, Brief(event));
}

std::vector<std::string> Lines(Cursor& cursor) {
  std::vector<std::string> lines;
  for (;;) {
    std::string line = Line(Must(cursor.Next()));
    if (line == "end") return lines;
    lines.push_back(std::move(line));
  }
}

std::vector<std::string> Lines(Log& log, std::string_view conversation, const ReadOptions& options) {
  return Lines(*Must(log.ReadRaw(Id(conversation), options)));
}

std::vector<std::string> TailLines(Tail& tail) {
  std::vector<std::string> lines;
  for (;;) {
    const Item item = Must(tail.Next());
    if (std::holds_alternative<EndOfLog>(item)) return lines;
    if (const auto* record = std::get_if<Record>(&item)) {
      lines.push_back(fmt::format("{} {} {}", record->conversation, record->seq.value, Brief(Must(record->Decode()))));
    } else if (const auto* erased = std::get_if<Erased>(&item)) {
      lines.push_back(fmt::format("{} {} erased {}", erased->conversation, erased->seq.value, ToString(erased->kind)));
    } else {
      lines.push_back(Line(item));
    }
  }
}

std::vector<std::string> AttemptLines(Log& log, std::string_view conversation, const InquiryId& id) {
  std::optional<InquiryKeyView> key;
  if (id.key) key = InquiryKeyView{id.key->tool_call, id.key->question, id.key->attempt};
  std::vector<std::string> lines;
  for (const InquiryRecord& record : Must(log.FindInquiry(Id(conversation), {id.text, key}))) {
    lines.push_back(fmt::format("t{} {}..{}{}", record.turn.value, Number(record.request), Number(record.response),
                                record.pending ? " pending" : ""));
  }
  return lines;
}

std::vector<std::string> PendingLines(Log& log, std::string_view conversation) {
  std::optional<ConversationId> id;
  if (!conversation.empty()) id = Id(conversation);
  std::vector<std::string> lines;
  for (const PendingInquiry& one : Must(log.Pending(id))) {
    lines.push_back(fmt::format("{} t{} {}", one.conversation, one.turn.value, one.request.value));
  }
  return lines;
}

std::vector<std::string> RepairLines(Log& log, std::string_view conversation) {
  std::vector<std::string> lines;
  for (const RepairRange& repair : Must(log.Repairs(Id(conversation)))) {
    lines.push_back(fmt::format("{}: {}..{}", repair.seq.value, repair.from.value, repair.to.value));
  }
  return lines;
}

std::vector<std::int64_t> Seqs(const Result<AppendResult>& result) {
  std::vector<std::int64_t> seqs;
  for (const AppendedEvent& event : Must(result).events) {
    const auto seq = static_cast<std::int64_t>(event.seq.value);
    seqs.push_back(event.repeated ? -seq : seq);
  }
  return seqs;
}

std::uint64_t Figure(const StoreStats& stats, std::string_view name) {
  const auto figure = stats.Figure(name);
  if (!figure) throw std::runtime_error("no figure " + std::string(name));
  return *figure;
}

std::uint64_t Figure(Log& log, std::string_view name) { return Figure(Must(log.Stats()), name); }

Result<std::unique_ptr<Log>> OpenQuietLog(const std::filesystem::path& folder, const SegmentOptions& options) {
  return EventLog::Open(folder, options, Environment{});
}

void LogTest::ReopenAfterCrash() {
  const std::filesystem::path copy = crashed_ / std::to_string(++crashes_);
  CopyStore(path(), copy);
  log_.reset();
  std::filesystem::remove_all(path());
  std::filesystem::rename(copy, path());
  Open(OpenMode::kWrite);
}

}  // namespace turnlog
