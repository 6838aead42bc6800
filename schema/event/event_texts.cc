#include "schema/event/event_texts.h"

#include <array>
#include <optional>
#include <string>

namespace turnlog {
namespace {

using Text = std::string_view;

class Walker {
 public:
  explicit Walker(const OnText& on_text) : on_text_(on_text) {}

  void Body(TurnStart&) const {}

  void Body(ChatRequestView& body) const {
    Plain("content", body.content);
    Plain("author", body.author);
    InJson("schema", body.schema);
  }

  void Body(ChatResponseView& body) const {
    constexpr std::array<Text, 3> kParts{"message", "reasoning", "data"};
    on_text_(kParts[static_cast<std::size_t>(body.part)],
             body.part == ChatPart::kData ? TextKind::kJson : TextKind::kText, body.content);
  }

  void Body(ToolCallRequestView& body) const {
    on_text_("id", TextKind::kId, body.id);
    Plain("name", body.name);
    InJson("arguments", body.arguments);
  }

  void Body(ToolCallResponseView& body) const {
    on_text_("id", TextKind::kId, body.id);
    Plain("content", body.content);
    if (!body.denied) return;
    Plain("denied.reason", body.denied->reason);
    Responder("denied.responder", body.denied->responder);
    InJson("denied", body.denied->extra);
  }

  void Body(InquiryRequestView& body) const {
    on_text_("id", TextKind::kId, body.id.text);
    Plain("source.name", body.source.name);
    InJson("source", body.source.extra);
    Question(body.question);
    if (body.escalated_from) on_text_("escalated_from", TextKind::kId, *body.escalated_from);
  }

  void Body(InquiryResponseView& body) const {
    on_text_("id", TextKind::kId, body.id.text);
    InJson("answer", body.answer);
    Plain("reason", body.reason);
    Responder("responder", body.responder);
  }

  void Body(VerbatimView& body) const {
    InJson("", body.json, TextKind::kVerbatim);
    // What is no object with a `type` does not say it itself, and nor do those of later versions.
    on_text_("type", TextKind::kId, body.tag);
  }

  void Body(RepairView& body) const {
    Plain("profile", body.profile);
    for (auto& item : body.items) Item("items", item);
    for (auto& item : body.retracts) Item("retracts", item);
  }

  void Body(RedactionRecordView& body) const {
    Plain("by", body.by);
    for (auto& rule : body.rules) {
      Plain("rules.rule", rule.rule);
      InJson("rules", rule.extra);
    }
  }

  void Common(EventView& event) const {
    if (event.event_id) on_text_("event_id", TextKind::kId, *event.event_id);
    InJson("metadata", event.metadata);
    InJson("", event.extra);
    if (event.source_text) on_text_("source_text", TextKind::kSource, *event.source_text);
  }

 private:
  void Responder(const std::string& field, std::optional<ResponderView>& responder) const {
    if (!responder) return;
    Plain(field + ".kind", responder->kind);
    Plain(field + ".model", responder->model);
    Plain(field + ".who", responder->who);
    Plain(field + ".via", responder->via);
    InJson(field, responder->extra);
  }

  void Question(QuestionView& question) const {
    Plain("question.text", question.text);
    for (auto& option : question.answer_type.options) {
      InJson("question.answer_type.options", option.value);
      Plain("question.answer_type.options", option.description);
      InJson("question.answer_type.options", option.extra);
    }
    InJson("question.answer_type.schema", question.answer_type.schema);
    InJson("question.answer_type", question.answer_type.extra);
    InJson("question.default", question.default_value);
    Plain("question.context", question.context);
    Plain("question.persistence", question.persistence);
    InJson("question", question.extra);
  }

  void Item(const std::string& list, RepairItemView& item) const {
    Plain(list + ".rule", item.target.rule);
    InJson(list, item.extra);
    if (!item.event) return;
    ForEachText(*item.event, [&](Text field, TextKind kind, Text& text) {
      on_text_(std::string(list).append(".event.").append(field), kind, text);
    });
  }

  void Plain(Text field, Text& text) const { on_text_(field, TextKind::kText, text); }
  void Plain(Text field, std::optional<Text>& text) const {
    if (text) on_text_(field, TextKind::kText, *text);
  }
  void InJson(Text field, JsonView& json, TextKind kind = TextKind::kJson) const {
    if (json.empty()) return;
    Text text = json.text();
    on_text_(field, kind, text);
    json = JsonView::FromTrusted(text);
  }

  const OnText& on_text_;
};

}  // namespace

void ForEachText(EventView& event, const OnText& on_text) {
  const Walker walker(on_text);
  std::visit([&](auto& body) { walker.Body(body); }, event.body);
  walker.Common(event);
}

}  // namespace turnlog
