// Copies events from one kind of texts to another.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// Every shape with its texts as To, which `make` returns for each of them.
template <class To, class Make>
struct EventConverter {
  Make make;

  template <class From>
  To Text(const From& text) const {
    return make(text);
  }

  template <class From>
  BasicJson<To> Text(const BasicJson<From>& json) const {
    return BasicJson<To>::FromTrusted(make(json.text()));
  }

  template <class From>
  std::optional<To> Text(const std::optional<From>& text) const {
    return text ? std::optional<To>(make(*text)) : std::nullopt;
  }

  template <class From>
  BasicInquiryId<To> Id(const BasicInquiryId<From>& id) const {
    BasicInquiryId<To> to{Text(id.text), std::nullopt};
    if (id.key) to.key.emplace(Text(id.key->tool_call), Text(id.key->question), id.key->attempt);
    return to;
  }

  TurnStart Body(const TurnStart&) const { return {}; }

  template <class From>
  BasicChatRequest<To> Body(const BasicChatRequest<From>& body) const {
    return {Text(body.content), Text(body.author), Text(body.schema)};
  }

  template <class From>
  BasicChatResponse<To> Body(const BasicChatResponse<From>& body) const {
    return {body.part, Text(body.content)};
  }

  template <class From>
  BasicToolCallRequest<To> Body(const BasicToolCallRequest<From>& body) const {
    return {Text(body.id), Text(body.name), Text(body.arguments)};
  }

  template <class From>
  std::optional<BasicResponder<To>> Responder(const std::optional<BasicResponder<From>>& from) const {
    if (!from) return std::nullopt;
    return BasicResponder<To>{Text(from->kind), Text(from->model), Text(from->who), Text(from->via), Text(from->extra)};
  }

  template <class From>
  BasicToolCallResponse<To> Body(const BasicToolCallResponse<From>& body) const {
    BasicToolCallResponse<To> to{Text(body.id), Text(body.content), body.is_error, std::nullopt};
    if (body.denied) {
      to.denied.emplace(Text(body.denied->reason), Responder(body.denied->responder), Text(body.denied->extra));
    }
    return to;
  }

  template <class From>
  BasicInquiryRequest<To> Body(const BasicInquiryRequest<From>& body) const {
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
  BasicInquiryResponse<To> Body(const BasicInquiryResponse<From>& body) const {
    return {body.outcome, Id(body.id), Text(body.answer), Text(body.reason), Responder(body.responder)};
  }

  template <class From>
  BasicVerbatim<To> Body(const BasicVerbatim<From>& body) const {
    return {body.kind, Text(body.tag), Text(body.json)};
  }

  template <class From>
  BasicRepairItem<To> Item(const BasicRepairItem<From>& item) const {
    const BasicRepairTarget<From>& target = item.target;
    BasicRepairItem<To> to{{target.action, target.anchor, target.cause, Text(target.rule)}, {}, Text(item.extra)};
    if (item.event) to.event = Event(*item.event);
    return to;
  }

  template <class From>
  std::vector<BasicRepairItem<To>> Items(const std::vector<BasicRepairItem<From>>& items) const {
    std::vector<BasicRepairItem<To>> to;
    to.reserve(items.size());
    for (const auto& item : items) to.push_back(Item(item));
    return to;
  }

  template <class From>
  BasicRepair<To> Body(const BasicRepair<From>& body) const {
    return {Text(body.profile), body.head, body.from, body.to, Items(body.items), Items(body.retracts), body.undoes};
  }

  template <class From>
  BasicRedactionRecord<To> Body(const BasicRedactionRecord<From>& body) const {
    BasicRedactionRecord<To> to{Text(body.by), body.events, {}};
    to.rules.reserve(body.rules.size());
    for (const auto& rule : body.rules) to.rules.push_back({Text(rule.rule), rule.events, rule.seqs, Text(rule.extra)});
    return to;
  }

  template <class From>
  BasicEvent<To> Event(const BasicEvent<From>& event) const {
    return {
        std::visit([this](const auto& body) { return typename BasicEvent<To>::Body(this->Body(body)); }, event.body),
        event.timestamp,
        Text(event.event_id),
        Text(event.metadata),
        Text(event.extra),
        Text(event.source_text)};
  }
};

}  // namespace turnlog
