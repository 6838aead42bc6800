#include "transcript/turn_reader.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/try.h"
#include "schema/json/json_fields.h"
#include "transcript/responder_name.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog {
namespace {

using Kind = TranscriptEntry::Kind;
constexpr std::string_view kHidden = "Answer: <redacted>";

}  // namespace

void TurnReader::Add(const Record& record, const EventView& event) {
  template_ = {
      .seq = record.seq, .time = event.timestamp, .rule = std::string(record.rule), .redacted = record.redacted};
  metadata_ = event.metadata;
  is_secret_answer_ = filter_.IsSecretAnswer(record.conversation, record.seq);
  if (event.kind() == EventKind::kTurnStart) ++turn_.number;
  std::visit([this](const auto& body) { Body(body); }, event.body);
}

TranscriptTurn TurnReader::Take(bool over) {
  for (TranscriptEntry& entry : turn_.entries) {
    if (entry.kind == Kind::kQuestion && entry.outcome.empty()) entry.outcome = over ? "Interrupted" : "Pending";
  }
  TranscriptTurn turn{turn_.number, std::move(turn_.entries)};
  turn_.entries.clear();
  calls_.Clear();
  questions_.Clear();
  earlier_secret_questions_.merge(secret_questions_);
  secret_questions_.clear();
  return turn;
}

TranscriptEntry& TurnReader::Entry(Kind kind) {
  template_.kind = kind;
  return turn_.entries.emplace_back(template_);
}

void TurnReader::Body(const ChatRequestView& body) {
  TranscriptEntry& entry = Entry(Kind::kUser);
  entry.name = filter_.Text(body.author.value_or(""));
  entry.text = filter_.Text(body.content);
}

void TurnReader::Body(const ChatResponseView& body) {
  const bool data = body.part == ChatPart::kData;
  Entry(data                                ? Kind::kData
        : body.part == ChatPart::kReasoning ? Kind::kReasoning
                                            : Kind::kAssistant)
      .text = data ? filter_.Json(body.content) : filter_.Text(body.content);
}

void TurnReader::Body(const ToolCallRequestView& body) {
  calls_.Open(body.id, turn_.entries.size());
  TranscriptEntry& entry = Entry(Kind::kCall);
  entry.name = filter_.Text(body.name);
  entry.id = body.id;
  entry.text = body.arguments.empty() ? "{}" : filter_.Json(body.arguments.text());
}

void TurnReader::Body(const ToolCallResponseView& body) {
  ToolCallResponse result = std::get<ToolCallResponse>(Own({.body = body}).body);
  result.content = filter_.Text(result.content);
  if (result.denied && result.denied->reason) result.denied->reason = filter_.Text(*result.denied->reason);
  const auto call = calls_.Close(body.id);
  TranscriptEntry& entry = call ? turn_.entries[*call] : Entry(Kind::kStrayResult);
  if (!call) entry.id = body.id;
  if (entry.rule.empty()) entry.rule = template_.rule;
  entry.redacted |= template_.redacted;
  entry.result = std::move(result);
}

void TurnReader::Body(const InquiryRequestView& body) {
  questions_.Open(body.id.text, turn_.entries.size());
  if (body.question.answer_type.kind == AnswerKind::kSecret) secret_questions_.emplace(body.id.text);
  TranscriptEntry& entry = Entry(Kind::kQuestion);
  entry.name = filter_.Text(AskerText(body.source.kind, body.source.name));
  entry.id = body.id.text;
  entry.text = filter_.Text(body.question.text);
  for (const auto& option : body.question.answer_type.options) {
    const std::string more = option.description ? ": " + filter_.Text(*option.description) : "";
    entry.options.push_back(filter_.Json(option.value.text()) + more);
  }
}

void TurnReader::Body(const InquiryResponseView& body) {
  const std::string id(body.id.text);
  const auto question = questions_.Close(id);
  TranscriptEntry& entry = question ? turn_.entries[*question] : Entry(Kind::kQuestion);
  if (!question) entry.id = id;
  if (entry.rule.empty()) entry.rule = template_.rule;
  entry.redacted |= template_.redacted;
  const auto& secrets = question || secret_questions_.contains(id) ? secret_questions_ : earlier_secret_questions_;
  entry.outcome = AnswerText(body, is_secret_answer_ || secrets.contains(id));
  entry.by = filter_.Text(ResponderName(body.responder));
  if (body.outcome == Outcome::kAnswered && body.reason) entry.note = filter_.Text(*body.reason);
}

std::string TurnReader::AnswerText(const InquiryResponseView& body, bool secret) {
  switch (body.outcome) {
    case Outcome::kAnswered:
      break;
    case Outcome::kCancelled:
      return fmt::format("Cancelled ({})", filter_.Text(body.reason.value_or("unspecified")));
    case Outcome::kRedacted:
      return std::string(kHidden);
  }
  if (!filter_.keeps() && secret) {
    filter_.Count();
    return std::string(kHidden);
  }
  const JsonView edited = FindEditedArguments(metadata_);
  if (!edited.empty()) return "Allowed with other arguments: " + filter_.Json(edited.text());
  return "Answer: " + filter_.Json(body.answer.text());
}

// The summary of a compaction; everything else is not for readers.
void TurnReader::Body(const VerbatimView& body) {
  if (body.kind != EventKind::kCompaction) return;
  const auto summary = FindJsonField(body.json.text(), "summary");
  const auto text = summary ? FindJsonString(summary->value, "summary") : std::nullopt;
  if (text) Entry(Kind::kSummary).text = filter_.Text(*text);
}

namespace {

class TurnWalk {
 public:
  TurnWalk(std::string conversation, SecretFilter& filter, const std::function<Status(TranscriptTurn turn)>& visit)
      : conversation_(std::move(conversation)), reader_(filter), visit_(visit) {}

  Status Add(const Item& item) {
    if (const auto* damage = std::get_if<Damage>(&item)) read_.damage.push_back(*damage);
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return {};
    const auto event = record->Decode();
    if (!event) {
      read_.damage.push_back({{}, 0, 0, conversation_, record->seq.value, event.error().message});
      return {};
    }
    if (event->kind() == EventKind::kTurnStart) {
      TURNLOG_TRY(EndTurn(true));
      ++read_.turns;
    }
    reader_.Add(*record, *event);
    return {};
  }

  Status EndTurn(bool over) {
    TranscriptTurn turn = reader_.Take(over);
    return turn.entries.empty() ? Status() : visit_(std::move(turn));
  }

  TurnsRead Take() && { return std::move(read_); }

 private:
  const std::string conversation_;
  TurnReader reader_;
  const std::function<Status(TranscriptTurn turn)>& visit_;
  TurnsRead read_;
};

}  // namespace

Result<TurnsRead> ReadTurns(Log& log, const ConversationId& conversation, SecretFilter& filter,
                            const std::function<Status(TranscriptTurn turn)>& visit, std::optional<Seq> last) {
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  TurnWalk walk(conversation.text(), filter, visit);
  const auto add = [&](const Item& item) -> Result<Walk> {
    const auto* record = std::get_if<Record>(&item);
    if (last && record != nullptr && record->seq > *last) return Walk::kEnd;
    TURNLOG_TRY(walk.Add(item));
    return Walk::kOn;
  };
  TURNLOG_TRY(WalkItems(*cursor, add));
  TURNLOG_TRY(walk.EndTurn(last.has_value()));
  return std::move(walk).Take();
}

}  // namespace turnlog
