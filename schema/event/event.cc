#include "turnlog/event.h"

#include <array>
#include <utility>

namespace turnlog {
namespace {

constexpr std::array<std::pair<EventKind, std::string_view>, 12> kKindNames{{
    {EventKind::kTurnStart, "turn_start"},
    {EventKind::kChatRequest, "chat_request"},
    {EventKind::kChatResponse, "chat_response"},
    {EventKind::kToolCallRequest, "tool_call_request"},
    {EventKind::kToolCallResponse, "tool_call_response"},
    {EventKind::kInquiryRequest, "inquiry_request"},
    {EventKind::kInquiryResponse, "inquiry_response"},
    {EventKind::kConfigDelta, "config_delta"},
    {EventKind::kCompaction, "compaction"},
    {EventKind::kRepair, "repair"},
    {EventKind::kRedaction, "redaction"},
    {EventKind::kUnknown, "unknown"},
}};

// Every shape with its text as To: a string from a view, or a view of a string.
template <class To>
struct As {
  template <class From>
  static To Text(const From& text) {
    return To(text);
  }

  template <class From>
  static BasicJson<To> Text(const BasicJson<From>& json) {
    return BasicJson<To>::FromTrusted(To(json.text()));
  }

  template <class From>
  static std::optional<To> Text(const std::optional<From>& text) {
    return text ? std::optional<To>(std::in_place, *text) : std::nullopt;
  }

  template <class From>
  static BasicInquiryId<To> Id(const BasicInquiryId<From>& id) {
    BasicInquiryId<To> to{Text(id.text), std::nullopt};
    if (id.key) to.key.emplace(Text(id.key->tool_call), Text(id.key->question), id.key->attempt);
    return to;
  }

  static TurnStart Body(const TurnStart&) { return {}; }

  template <class From>
  static BasicChatRequest<To> Body(const BasicChatRequest<From>& body) {
    return {Text(body.content), Text(body.author), Text(body.schema)};
  }

  template <class From>
  static BasicChatResponse<To> Body(const BasicChatResponse<From>& body) {
    return {body.part, Text(body.content)};
  }

  template <class From>
  static BasicToolCallRequest<To> Body(const BasicToolCallRequest<From>& body) {
    return {Text(body.id), Text(body.name), Text(body.arguments)};
  }

  template <class From>
  static std::optional<BasicResponder<To>> Responder(const std::optional<BasicResponder<From>>& from) {
    if (!from) return std::nullopt;
    return BasicResponder<To>{Text(from->kind), Text(from->model), Text(from->who), Text(from->via), Text(from->extra)};
  }

  template <class From>
  static BasicToolCallResponse<To> Body(const BasicToolCallResponse<From>& body) {
    BasicToolCallResponse<To> to{Text(body.id), Text(body.content), body.is_error, std::nullopt};
    if (body.denied) {
      to.denied.emplace(Text(body.denied->reason), Responder(body.denied->responder), Text(body.denied->extra));
    }
    return to;
  }

  template <class From>
  static BasicInquiryRequest<To> Body(const BasicInquiryRequest<From>& body) {
    const BasicQuestion<From>& question = body.question;
    const BasicAnswerType<From>& type = question.answer_type;
    BasicAnswerType<To> answer_type{type.kind, {}, type.other, Text(type.schema), Text(type.extra)};
    answer_type.options.reserve(type.options.size());
    for (const auto& option : type.options) {
      answer_type.options.push_back({Text(option.value), Text(option.description), Text(option.extra)});
    }
    return {Id(body.id),
            {body.source.kind, Text(body.source.name), Text(body.source.extra)},
            {Text(question.text), std::move(answer_type), Text(question.default_value), Text(question.context),
             question.exclusive, Text(question.persistence), Text(question.extra)},
            Text(body.escalated_from)};
  }

  template <class From>
  static BasicInquiryResponse<To> Body(const BasicInquiryResponse<From>& body) {
    return {body.outcome, Id(body.id), Text(body.answer), Text(body.reason), Responder(body.responder)};
  }

  template <class From>
  static BasicVerbatim<To> Body(const BasicVerbatim<From>& body) {
    return {body.kind, Text(body.tag), Text(body.json)};
  }

  template <class From>
  static BasicRepairItem<To> Item(const BasicRepairItem<From>& item) {
    const BasicRepairTarget<From>& target = item.target;
    BasicRepairItem<To> to{{target.action, target.anchor, target.cause, Text(target.rule)}, {}, Text(item.extra)};
    if (item.event) to.event = Event(*item.event);
    return to;
  }

  template <class From>
  static std::vector<BasicRepairItem<To>> Items(const std::vector<BasicRepairItem<From>>& items) {
    std::vector<BasicRepairItem<To>> to;
    to.reserve(items.size());
    for (const auto& item : items) to.push_back(Item(item));
    return to;
  }

  template <class From>
  static BasicRepair<To> Body(const BasicRepair<From>& body) {
    return {Text(body.profile), body.head, body.from, body.to, Items(body.items), Items(body.retracts), body.undoes};
  }

  template <class From>
  static BasicRedactionRecord<To> Body(const BasicRedactionRecord<From>& body) {
    BasicRedactionRecord<To> to{Text(body.by), body.events, {}};
    to.rules.reserve(body.rules.size());
    for (const auto& rule : body.rules) to.rules.push_back({Text(rule.rule), rule.events, rule.seqs, Text(rule.extra)});
    return to;
  }

  template <class From>
  static BasicEvent<To> Event(const BasicEvent<From>& event) {
    return {std::visit([](const auto& body) { return typename BasicEvent<To>::Body(Body(body)); }, event.body),
            event.timestamp,
            Text(event.event_id),
            Text(event.metadata),
            Text(event.extra),
            Text(event.source_text)};
  }
};

}  // namespace

std::string_view ToString(EventKind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  return "unknown";
}

EventKind KindFromName(std::string_view name) {
  for (const auto& [kind, known] : kKindNames) {
    if (known == name) return kind;
  }
  return EventKind::kUnknown;
}

bool IsGlobal(EventKind kind) { return kind >= EventKind::kConfigDelta; }

EventView View(const Event& event) { return As<std::string_view>::Event(event); }

Event Own(const EventView& view) { return As<std::string>::Event(view); }

}  // namespace turnlog
