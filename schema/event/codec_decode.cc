#include <cstdint>

#include "base/try.h"
#include "event_generated.h"
#include "schema/event/codec.h"
#include "schema/event/inquiry_id.h"
#include "schema/event/repair_checks.h"
#include "schema/event/stored_event.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

using namespace stored_event;

JsonView ToJsonView(const flatbuffers::String* text) { return JsonView::FromTrusted(Text(text)); }

Result<InquiryIdView> Decode(const fbs::InquiryId& stored) {
  InquiryIdView id{Text(stored.text()), std::nullopt};
  if (stored.attempt() == 0) return id;
  const std::size_t tool_call = stored.tool_call_length(), question = stored.question_length();
  if (tool_call < id.text.size()) {
    id.key.emplace(id.text.substr(0, tool_call), id.text.substr(tool_call + 1, question), stored.attempt());
  }
  return id.key && IsMadeOf(id.text, *id.key) ? Result<InquiryIdView>(id)
                                              : Corrupt("an inquiry id does not fit its parts");
}

Result<EventView::Body> Decode(const fbs::ChatRequest& stored) {
  return ChatRequestView{Text(stored.content()), Optional(stored.author()), ToJsonView(stored.schema())};
}

Result<EventView::Body> Decode(const fbs::ChatResponse& stored) {
  const ChatPart part = TURNLOG_TRY(ToEnum<ChatPart>(stored.part(), "part of a chat response"));
  if (part == ChatPart::kData && stored.content()->size() == 0) return Corrupt("a chat response without data");
  return ChatResponseView{part, Text(stored.content())};
}

Result<EventView::Body> Decode(const fbs::ToolCallRequest& stored) {
  return ToolCallRequestView{Text(stored.id()), Text(stored.name()), ToJsonView(stored.arguments())};
}

std::optional<ResponderView> Decode(const fbs::Responder* stored) {
  if (stored == nullptr) return std::nullopt;
  return ResponderView{Text(stored->kind()), Optional(stored->model()), Optional(stored->who()),
                       Optional(stored->via()), ToJsonView(stored->extra())};
}

Result<EventView::Body> Decode(const fbs::ToolCallResponse& stored) {
  ToolCallResponseView body{Text(stored.id()), Text(stored.content()), stored.is_error(), std::nullopt};
  if (const fbs::Denial* denied = stored.denied()) {
    body.denied.emplace(Optional(denied->reason()), Decode(denied->responder()), ToJsonView(denied->extra()));
  }
  return body;
}

Result<AnswerTypeView> Decode(const fbs::AnswerType& stored) {
  AnswerTypeView type;
  type.kind = TURNLOG_TRY(ToEnum<AnswerKind>(stored.kind(), "answer type"));
  type.other = stored.other();
  type.schema = ToJsonView(stored.schema());
  type.extra = ToJsonView(stored.extra());
  if (const auto* options = stored.options()) {
    if (options->size() > kMaxSelectOptions) return Corrupt("a question with too many options");
    type.options.reserve(options->size());
    for (const fbs::SelectOption* option : *options) {
      if (option->value()->size() == 0) return Corrupt("an option without a value");
      type.options.push_back(
          {ToJsonView(option->value()), Optional(option->description()), ToJsonView(option->extra())});
    }
  }
  return type;
}

Result<EventView::Body> Decode(const fbs::InquiryRequest& stored) {
  InquiryRequestView body;
  body.id = TURNLOG_TRY(Decode(*stored.id()));
  body.source.kind = TURNLOG_TRY(ToEnum<SourceKind>(stored.source()->kind(), "source of an inquiry"));
  body.source.name = Text(stored.source()->name());
  body.source.extra = ToJsonView(stored.source()->extra());
  const fbs::Question& question = *stored.question();
  body.question.text = Text(question.text());
  body.question.answer_type = TURNLOG_TRY(Decode(*question.answer_type()));
  body.question.default_value = ToJsonView(question.default_value());
  body.question.context = Optional(question.context());
  body.question.exclusive = question.exclusive();
  body.question.persistence = Optional(question.persistence());
  body.question.extra = ToJsonView(question.extra());
  body.escalated_from = Optional(stored.escalated_from());
  return body;
}

Result<EventView::Body> Decode(const fbs::InquiryResponse& stored) {
  InquiryResponseView body;
  body.outcome = TURNLOG_TRY(ToEnum<Outcome>(stored.outcome(), "outcome of an inquiry"));
  body.id = TURNLOG_TRY(Decode(*stored.id()));
  body.answer = ToJsonView(stored.answer());
  body.reason = Optional(stored.reason());
  body.responder = Decode(stored.responder());
  const bool answered = body.outcome == Outcome::kAnswered, cancelled = body.outcome == Outcome::kCancelled;
  if (answered == body.answer.empty() || (cancelled && !body.reason)) {
    return Corrupt("an inquiry response that does not fit its outcome");
  }
  return body;
}

Result<EventView::Body> Decode(const fbs::Verbatim& stored) {
  if (stored.json()->size() == 0) return Corrupt("a verbatim event without its text");
  switch (stored.kind()) {
    case fbs::VerbatimKind::ConfigDelta:
    case fbs::VerbatimKind::Compaction:
    case fbs::VerbatimKind::Repair:
    case fbs::VerbatimKind::Redaction:
    case fbs::VerbatimKind::Unknown:
      return VerbatimView{static_cast<EventKind>(stored.kind()), Text(stored.tag()), ToJsonView(stored.json())};
  }
  return Unknown("kind of a verbatim event");
}

// The verifier looks at a vector's length only: its elements may be misaligned.
template <class T>
bool IsAligned(const flatbuffers::Vector<T>& stored) {
  return reinterpret_cast<std::uintptr_t>(stored.Data()) % alignof(std::uint64_t) == 0;
}

// Reads ranges only: what a repair inserts is read like every event.
Result<RepairTargetView> Decode(const fbs::RepairItem& stored) {
  RepairTargetView target;
  target.action = TURNLOG_TRY(ToEnum<RepairAction>(stored.action(), "action of a repair"));
  target.anchor = Seq{stored.place()};
  target.cause = Seq{stored.cause()};
  target.rule = Text(stored.rule());
  return target;
}

Result<EventView> Decode(const fbs::Event& stored);

using RepairItems = std::vector<RepairItemView>;

Result<RepairItems> Decode(const flatbuffers::Vector<flatbuffers::Offset<fbs::RepairItem>>* stored) {
  RepairItems items;
  if (stored == nullptr) return items;
  items.reserve(stored->size());
  for (const fbs::RepairItem* item : *stored) {
    auto& decoded = items.emplace_back();
    decoded.target = TURNLOG_TRY(Decode(*item));
    decoded.extra = ToJsonView(item->extra());
    if (item->event() == nullptr) continue;
    if (item->event()->body_type() > fbs::Body::Verbatim) return Corrupt("a repair that inserts what it may not");
    decoded.event = TURNLOG_TRY(Decode(*item->event()));
  }
  return items;
}

Result<EventView::Body> Decode(const fbs::Repair& stored) {
  RepairView body{Text(stored.profile()), {stored.head()}, {stored.from()}, {stored.to()}, {}, {}, {}};
  body.items = TURNLOG_TRY(Decode(stored.items()));
  body.retracts = TURNLOG_TRY(Decode(stored.retracts()));
  if (const auto* undoes = stored.undoes()) {
    if (!IsAligned(*undoes)) return Corrupt("misaligned numbers");
    for (const std::uint64_t seq : *undoes) body.undoes.push_back({seq});
  }
  if (const Status sound = CheckRepair(body); !sound) return Corrupt("repair: " + sound.error().message);
  return body;
}

Result<EventView::Body> Decode(const fbs::Redaction& stored) {
  RedactionRecordView body{Text(stored.by()), stored.events(), {}};
  if (stored.rules() == nullptr) return body;
  for (const fbs::RedactedByRule* rule : *stored.rules()) {
    auto& decoded = body.rules.emplace_back(Text(rule->rule()), rule->events());
    decoded.extra = ToJsonView(rule->extra());
    if (rule->seqs() == nullptr) continue;
    if (!IsAligned(*rule->seqs())) return Corrupt("misaligned numbers");
    for (const fbs::SeqRange* range : *rule->seqs()) decoded.seqs.push_back({{range->first()}, {range->last()}});
  }
  if (const Status sound = CheckRedaction(body); !sound) return Corrupt("redaction: " + sound.error().message);
  return body;
}

Result<EventView::Body> DecodeBody(const fbs::Event& event) {
  switch (event.body_type()) {
    case fbs::Body::NONE:
      return Corrupt("no body");
    case fbs::Body::TurnStart:
      return TurnStart{};
    case fbs::Body::ChatRequest:
      return Decode(*event.body_as_ChatRequest());
    case fbs::Body::ChatResponse:
      return Decode(*event.body_as_ChatResponse());
    case fbs::Body::ToolCallRequest:
      return Decode(*event.body_as_ToolCallRequest());
    case fbs::Body::ToolCallResponse:
      return Decode(*event.body_as_ToolCallResponse());
    case fbs::Body::InquiryRequest:
      return Decode(*event.body_as_InquiryRequest());
    case fbs::Body::InquiryResponse:
      return Decode(*event.body_as_InquiryResponse());
    case fbs::Body::Verbatim:
      return Decode(*event.body_as_Verbatim());
    case fbs::Body::Repair:
      return Decode(*event.body_as_Repair());
    case fbs::Body::Redaction:
      return Decode(*event.body_as_Redaction());
  }
  return Unknown("kind of event");
}

Result<EventView> Decode(const fbs::Event& stored) {
  EventView event;
  event.body = TURNLOG_TRY(DecodeBody(stored));
  event.timestamp = TimeOf(stored);
  event.event_id = Optional(stored.event_id());
  event.metadata = ToJsonView(stored.metadata());
  event.extra = ToJsonView(stored.extra());
  event.source_text = Optional(stored.source_text());
  return event;
}

// FlatBuffers' own check of what follows the identifier, with limits set on purpose: an inserted event nests 8 deep,
// and a table that is there only once takes at least 8 bytes, with its offset.
bool IsSound(std::string_view payload) {
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(payload.size() / 8 + 1);
  flatbuffers::Verifier verifier = VerifierOf(payload, {.max_depth = 16, .max_tables = max_tables});
  return verifier.VerifyBuffer<fbs::Event>(nullptr);
}

}  // namespace

Result<EventView> DecodeEvent(std::string_view payload) {
  TURNLOG_TRY(CheckPayload(payload));
  if (!IsSound(payload)) return Corrupt("broken structure");
  return Decode(*fbs::GetEvent(payload.data()));
}

}  // namespace turnlog
