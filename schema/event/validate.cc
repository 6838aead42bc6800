#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "base/try.h"
#include "base/utf8.h"
#include "schema/event/codec.h"
#include "schema/event/encoded_size.h"
#include "schema/event/event_fields.h"
#include "schema/event/inquiry_id.h"
#include "schema/event/repair_checks.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "turnlog/event.h"
#include "turnlog/repair.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

using Names = std::span<const std::string_view>;

std::unexpected<Error> Invalid(std::string_view field, std::string_view what) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, std::string(field) + (field.empty() ? "" : ": ") + std::string(what)});
}

Status CheckText(std::string_view field, std::string_view text) {
  if (IsUtf8(text)) return {};
  return Invalid(field, "byte " + std::to_string(Utf8PrefixLength(text)) + ": not valid UTF-8");
}

Status CheckText(std::string_view field, const std::optional<std::string_view>& text) {
  return text ? CheckText(field, *text) : Status();
}

Status CheckId(std::string_view field, std::string_view id) {
  if (id.empty() || id.size() > kMaxIdBytes) return Invalid(field, fields::kIdLength);
  return CheckText(field, id);
}

Status CheckId(std::string_view field, const std::optional<std::string_view>& id) {
  return id ? CheckId(field, *id) : Status();
}

// One value and nothing around it.
Status CheckJson(std::string_view field, const JsonView& json) {
  const std::string_view text = json.text();
  if (text.empty()) return Invalid(field, "is missing");
  TURNLOG_TRY(CheckText(field, text));
  const JsonEnd end = ScanJson(text);
  if (!end) return Invalid(field, "byte " + std::to_string(end.error().byte) + ": " + end.error().what);
  if (*end != text.size()) return Invalid(field, "byte " + std::to_string(*end) + ": more text after the value");
  return {};
}

Status CheckOptionalJson(std::string_view field, const JsonView& json) {
  return json.empty() ? Status() : CheckJson(field, json);
}

Status CheckOptionalObject(std::string_view field, const JsonView& json) {
  if (json.empty()) return {};
  TURNLOG_TRY(CheckJson(field, json));
  return json.text().front() == '{' ? Status() : Invalid(field, "must be an object");
}

// Fields that are kept beside the known ones must not have their names, or the event would read back as another.
Status CheckExtra(std::string_view field, const JsonView& extra, Names known) {
  if (extra.empty()) return {};
  TURNLOG_TRY(CheckOptionalObject(field, extra));
  JsonFields unknown(extra.text());
  while (unknown.Next().value_or(false)) {
    const auto name =
        std::ranges::find_if(known, [&](std::string_view known_name) { return unknown.KeyIs(known_name); });
    if (name != known.end()) return Invalid(field, "holds \"" + std::string(*name) + "\", which has its own place");
  }
  return {};
}

Status CheckInquiryId(const InquiryIdView& id) {
  TURNLOG_TRY(CheckId("id", id.text));
  if (!id.key) return {};
  if (const Status key = CheckInquiryKey(*id.key); !key) return Invalid("key", key.error().message);
  return IsMadeOf(id.text, *id.key) ? Status() : Invalid("key", "does not fit the id");
}

Status CheckBody(const TurnStart&) { return {}; }

Status CheckBody(const ChatRequestView& body) {
  TURNLOG_TRY(CheckText("content", body.content));
  TURNLOG_TRY(CheckText("author", body.author));
  return CheckOptionalObject("schema", body.schema);
}

Status CheckBody(const ChatResponseView& body) {
  const auto part = static_cast<std::size_t>(body.part);
  if (part >= fields::kChatParts.size()) return Invalid("part", "unknown");
  if (body.part == ChatPart::kData) return CheckJson("data", JsonView::FromTrusted(body.content));
  return CheckText(fields::kChatParts[part], body.content);
}

Status CheckBody(const ToolCallRequestView& body) {
  TURNLOG_TRY(CheckId("id", body.id));
  TURNLOG_TRY(CheckText("name", body.name));
  return CheckOptionalObject("arguments", body.arguments);
}

Status CheckResponder(const ResponderView& responder) {
  TURNLOG_TRY(CheckText("kind", responder.kind));
  TURNLOG_TRY(CheckText("model", responder.model));
  TURNLOG_TRY(CheckText("who", responder.who));
  TURNLOG_TRY(CheckText("via", responder.via));
  return CheckExtra("extra", responder.extra, fields::kResponderNames);
}

Status CheckResponder(std::string_view field, const std::optional<ResponderView>& responder) {
  if (!responder) return {};
  const Status status = CheckResponder(*responder);
  return status ? Status() : Invalid("", std::string(field) + "." + status.error().message);
}

Status CheckBody(const ToolCallResponseView& body) {
  TURNLOG_TRY(CheckId("id", body.id));
  TURNLOG_TRY(CheckText("content", body.content));
  if (!body.denied) return {};
  TURNLOG_TRY(CheckText("denied.reason", body.denied->reason));
  TURNLOG_TRY(CheckResponder("denied.responder", body.denied->responder));
  return CheckExtra("denied.extra", body.denied->extra, fields::kDenial);
}

Status CheckSource(const InquirySourceView& source) {
  const bool named = source.kind == SourceKind::kTool || source.kind == SourceKind::kOther;
  if (static_cast<std::size_t>(source.kind) >= fields::kSourceKinds.size()) return Invalid("source.source", "unknown");
  if (!named && !source.name.empty()) return Invalid("source.name", "only tools and others have one");
  TURNLOG_TRY(CheckText("source.name", source.name));
  return CheckExtra("source.extra", source.extra, named ? Names(fields::kNamedSource) : Names(fields::kNamelessSource));
}

Status CheckOption(const SelectOptionView& option) {
  TURNLOG_TRY(CheckJson("value", option.value));
  TURNLOG_TRY(CheckText("description", option.description));
  return CheckExtra("extra", option.extra, fields::kOption);
}

Status CheckOptions(std::span<const SelectOptionView> options) {
  if (options.size() > kMaxSelectOptions) return Invalid("question.answer_type.options", "too many");
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Status status = CheckOption(options[i]);
    if (!status) {
      return Invalid("", "question.answer_type.options[" + std::to_string(i) + "]." + status.error().message);
    }
  }
  return {};
}

Status CheckAnswerType(const AnswerTypeView& type) {
  const bool select = type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect;
  const bool schema = type.kind == AnswerKind::kSchema;
  if (static_cast<std::size_t>(type.kind) >= fields::kAnswerKinds.size()) {
    return Invalid("question.answer_type.type", "unknown");
  }
  if (!select && !type.options.empty()) return Invalid("question.answer_type.options", "only selects have them");
  if (!select && type.other) return Invalid("question.answer_type.other", "only selects have it");
  TURNLOG_TRY(CheckOptions(type.options));
  if (schema == type.schema.empty()) {
    return Invalid("question.answer_type.schema", schema ? "is missing" : "only answers by schema have one");
  }
  TURNLOG_TRY(CheckOptionalObject("question.answer_type.schema", type.schema));
  const Names known = select   ? Names(fields::kSelectAnswer)
                      : schema ? Names(fields::kSchemaAnswer)
                               : Names(fields::kPlainAnswer);
  return CheckExtra("question.answer_type.extra", type.extra, known);
}

Status CheckBody(const InquiryRequestView& body) {
  TURNLOG_TRY(CheckInquiryId(body.id));
  TURNLOG_TRY(CheckSource(body.source));
  TURNLOG_TRY(CheckText("question.text", body.question.text));
  TURNLOG_TRY(CheckAnswerType(body.question.answer_type));
  TURNLOG_TRY(CheckOptionalJson("question.default", body.question.default_value));
  TURNLOG_TRY(CheckText("question.context", body.question.context));
  TURNLOG_TRY(CheckText("question.persistence", body.question.persistence));
  TURNLOG_TRY(CheckExtra("question.extra", body.question.extra, fields::kQuestionNames));
  return CheckId("escalated_from", body.escalated_from);
}

Status CheckBody(const InquiryResponseView& body) {
  if (static_cast<std::size_t>(body.outcome) >= fields::kOutcomes.size()) return Invalid("outcome", "unknown");
  TURNLOG_TRY(CheckInquiryId(body.id));
  TURNLOG_TRY(CheckText("reason", body.reason));
  TURNLOG_TRY(CheckResponder("responder", body.responder));
  if (body.outcome == Outcome::kAnswered) return CheckJson("answer", body.answer);
  if (!body.answer.empty()) return Invalid("answer", "only answered inquiries have one");
  if (body.outcome == Outcome::kCancelled) return body.reason ? Status() : Invalid("reason", "is missing");
  return body.reason ? Invalid("reason", "redacted inquiries have none") : Status();
}

// The first `type` of a valid object is the string `tag`.
bool HasType(std::string_view json, std::string_view tag) {
  JsonFields object(json);
  while (object.Next().value_or(false)) {
    if (object.KeyIs("type")) return object.value().starts_with('"') && UnescapeJson(object.value()) == tag;
  }
  return false;
}

Status CheckBody(const VerbatimView& body) {
  TURNLOG_TRY(CheckText("type", body.tag));
  TURNLOG_TRY(CheckJson("json", body.json));
  if (body.kind != KindFromName(body.tag)) return Invalid("type", "does not fit the kind");
  if (body.kind < EventKind::kConfigDelta) return Invalid("type", "events of this kind are not kept verbatim");
  if (!body.tag.empty() && !HasType(body.json.text(), body.tag)) return Invalid("type", "is another in the object");
  return {};
}

Status CheckItem(const RepairItemView& item) {
  TURNLOG_TRY(CheckId("rule", item.target.rule));
  TURNLOG_TRY(CheckExtra("extra", item.extra, fields::kRepairItem));
  if (!item.event) return {};
  const Status valid = Validate(*item.event);
  return valid ? Status() : Invalid("event", valid.error().message);
}

Status CheckItems(std::string_view name, const std::vector<RepairItemView>& items) {
  std::set<RepairTargetView> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto where = [&] { return std::string(name) + "[" + std::to_string(i) + "]"; };
    if (const Status valid = CheckItem(items[i]); !valid) return Invalid("", where() + "." + valid.error().message);
    if (!seen.insert(items[i].target).second) return Invalid(where(), "is there twice");
  }
  return {};
}

Status CheckBody(const RepairView& body) {
  TURNLOG_TRY(CheckId("profile", body.profile));
  TURNLOG_TRY(CheckRepair(body));
  TURNLOG_TRY(CheckItems("items", body.items));
  return CheckItems("retracts", body.retracts);
}

Status CheckBody(const RedactionRecordView& body) {
  TURNLOG_TRY(CheckText("by", body.by));
  TURNLOG_TRY(CheckRedaction(body));
  for (std::size_t i = 0; i < body.rules.size(); ++i) {
    const std::string where = "rules[" + std::to_string(i) + "].";
    TURNLOG_TRY(CheckId(where + "rule", body.rules[i].rule));
    TURNLOG_TRY(CheckExtra(where + "extra", body.rules[i].extra, fields::kRedactedByRule));
  }
  return {};
}

Names KnownFields(const EventView& event) {
  switch (event.kind()) {
    case EventKind::kTurnStart:
      return fields::kTurnStart;
    case EventKind::kChatRequest:
      return fields::kChatRequest;
    case EventKind::kChatResponse:
      return fields::kChatResponses[static_cast<std::size_t>(std::get<ChatResponseView>(event.body).part)];
    case EventKind::kToolCallRequest:
      return fields::kToolCallRequest;
    case EventKind::kToolCallResponse:
      return fields::kToolCallResponse;
    case EventKind::kInquiryRequest:
      return fields::kInquiryRequest;
    case EventKind::kInquiryResponse:
      switch (std::get<InquiryResponseView>(event.body).outcome) {
        case Outcome::kAnswered:
          return fields::kAnswered;
        case Outcome::kCancelled:
          return fields::kCancelled;
        case Outcome::kRedacted:
          return fields::kRedacted;
      }
      break;
    case EventKind::kRepair:
      return fields::kRepair;
    case EventKind::kRedaction:
      return fields::kRedaction;
    case EventKind::kConfigDelta:
    case EventKind::kCompaction:
    case EventKind::kUnknown:
      break;
  }
  return {};
}

// A reader takes the first part that is a string, so such a one cannot stand beside a later part. Of fields with one
// name it looks at the first.
Status CheckOtherParts(const EventView& event) {
  const auto* response = std::get_if<ChatResponseView>(&event.body);
  if (response == nullptr || event.extra.empty()) return {};
  for (std::size_t part = 0; part < static_cast<std::size_t>(response->part); ++part) {
    const auto field = FindJsonField(event.extra.text(), fields::kChatParts[part]);
    if (field && field->value.starts_with('"')) {
      return Invalid("extra", "holds \"" + std::string(fields::kChatParts[part]) + "\", which would be read instead");
    }
  }
  return {};
}

}  // namespace

Status Validate(const EventView& event) {
  if (EncodedSizeBound(event) > kMaxEventBytes) {
    return Invalid("", "the event is larger than " + std::to_string(kMaxEventBytes) + " bytes");
  }
  TURNLOG_TRY(std::visit([](const auto& body) { return CheckBody(body); }, event.body));
  TURNLOG_TRY(CheckId("event_id", event.event_id));
  TURNLOG_TRY(CheckText("source_text", event.source_text));
  if (std::holds_alternative<VerbatimView>(event.body)) {
    if (!event.metadata.empty()) return Invalid("metadata", "belongs into the object of a verbatim event");
    if (!event.extra.empty()) return Invalid("extra", "belongs into the object of a verbatim event");
    if (event.kind() == EventKind::kRepair) TURNLOG_TRY(ReadRepair(event));
    return {};
  }
  TURNLOG_TRY(CheckOptionalObject("metadata", event.metadata));
  TURNLOG_TRY(CheckExtra("extra", event.extra, KnownFields(event)));
  return CheckOtherParts(event);
}

}  // namespace turnlog
