#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schema/event/event_fields.h"
#include "schema/event/inquiry_json_write.h"
#include "schema/json/json_writer.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

using Text = std::string_view;

struct Envelope {
  Text conversation;
  Seq seq;
};

class EventWriter {
 public:
  explicit EventWriter(std::string& out) : json_(out) {}

  void Write(const EventView& event, const std::optional<Envelope>& envelope) {
    const auto* verbatim = std::get_if<VerbatimView>(&event.body);
    json_.StartObject();
    if (envelope) {
      json_.Field("conversation", envelope->conversation);
      if (envelope->seq.value != 0) json_.Key("seq"), json_.Unsigned(envelope->seq.value);
    }
    const bool of_sanitizer = event.kind() == EventKind::kRepair || event.kind() == EventKind::kRedaction;
    if (event.timestamp && !of_sanitizer) Time(*event.timestamp);
    if (verbatim == nullptr) json_.Field("type", ToString(event.kind()));
    if (event.timestamp && of_sanitizer) Time(*event.timestamp);
    std::visit([&](const auto& body) { Body(body); }, event.body);
    json_.OptionalField("metadata", event.metadata);
    json_.OptionalField("event_id", event.event_id);
    json_.Fields(event.extra);
    json_.OptionalField("source_text", event.source_text);
    json_.EndObject();
  }

 private:
  void Time(const Timestamp& time) {
    std::array<char, 32> text;
    const std::size_t size = time.ToRfc3339(std::span(text).subspan<1, 30>()).size();
    text[0] = text[size + 1] = '"';
    json_.Key("timestamp"), json_.Exactly({text.data(), size + 2});
  }

  void Body(const TurnStart&) {}

  void Body(const ChatRequestView& body) {
    json_.Field("content", body.content);
    json_.OptionalField("author", body.author);
    json_.OptionalField("schema", body.schema);
  }

  void Body(const ChatResponseView& body) {
    const Text part = fields::kChatParts[static_cast<std::size_t>(body.part)];
    if (body.part == ChatPart::kData) return json_.Field(part, JsonView::FromTrusted(body.content));
    json_.Field(part, body.content);
  }

  void Body(const ToolCallRequestView& body) {
    json_.Field("id", body.id);
    json_.Field("name", body.name);
    json_.Field("arguments", body.arguments.empty() ? JsonView::FromTrusted("{}") : body.arguments);
  }

  void Body(const ToolCallResponseView& body) {
    json_.Field("id", body.id);
    json_.Field("content", body.content);
    json_.Key("is_error"), json_.Bool(body.is_error);
    if (!body.denied) return;
    json_.Key("denied"), json_.StartObject();
    json_.OptionalField("reason", body.denied->reason);
    WriteResponder(body.denied->responder, json_);
    json_.Fields(body.denied->extra);
    json_.EndObject();
  }

  void Body(const InquiryRequestView& body) {
    Id(body.id);
    json_.Key("source"), WriteInquirySource(body.source, json_);
    json_.Key("question"), WriteQuestion(body.question, json_);
    json_.OptionalField("escalated_from", body.escalated_from);
  }

  void Body(const InquiryResponseView& body) {
    json_.Field("outcome", fields::kOutcomes[static_cast<std::size_t>(body.outcome)]);
    Id(body.id);
    json_.OptionalField("answer", body.answer);
    json_.OptionalField("reason", body.reason);
    WriteResponder(body.responder, json_);
  }

  // Only those that do not tell themselves what they are; AppendVerbatim has the others.
  void Body(const VerbatimView& body) {
    if (!body.tag.empty()) json_.Field("tag", body.tag);
    json_.Field("verbatim", body.json);
  }

  void Body(const RepairView& body) {
    json_.Field("profile", body.profile);
    Number("head", body.head.value), Number("from", body.from.value), Number("to", body.to.value);
    Items("items", body.items), Items("retracts", body.retracts);
    if (body.undoes.empty()) return;
    json_.Key("undoes"), json_.StartArray();
    for (const Seq seq : body.undoes) json_.Unsigned(seq.value);
    json_.EndArray();
  }

  void Body(const RedactionRecordView& body) {
    json_.Field("by", body.by);
    Number("events", body.events);
    json_.Key("rules"), json_.StartArray();
    for (const auto& rule : body.rules) {
      json_.StartObject();
      json_.Field("rule", rule.rule);
      Number("events", rule.events);
      json_.Key("seqs"), Ranges(rule.seqs);
      json_.Fields(rule.extra);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Number(Text key, std::uint64_t number) { json_.Key(key), json_.Unsigned(number); }

  void Ranges(const std::vector<SeqRange>& ranges) {
    json_.StartArray();
    for (const auto& [first, last] : ranges) {
      json_.StartArray(), json_.Unsigned(first.value), json_.Unsigned(last.value), json_.EndArray();
    }
    json_.EndArray();
  }

  void Items(Text key, const std::vector<RepairItemView>& items) {
    if (items.empty()) return;
    json_.Key(key), json_.StartArray();
    for (const auto& [target, event, extra] : items) {
      json_.StartObject();
      Target(target);
      if (event) json_.Field("event", JsonView::FromTrusted(ToJson(*event)));
      json_.Fields(extra);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Target(const RepairTargetView& target) {
    const fields::RepairForm& form = fields::FormOf(target.action);
    if (form.mark != form.anchor) Number(fields::kRepairItem[form.mark], target.cause.value);
    Number(fields::kRepairItem[form.anchor], target.anchor.value);
    if (form.cause != form.mark) Number(fields::kRepairItem[form.cause], target.cause.value);
    json_.Field("rule", target.rule);
  }

  void Id(const InquiryIdView& id) {
    json_.Field("id", id.text);
    if (!id.key) return;
    json_.Key("key"), json_.StartObject();
    json_.Field("tool_call", id.key->tool_call);
    json_.Field("question", id.key->question);
    json_.Key("attempt"), json_.Unsigned(id.key->attempt);
    json_.EndObject();
  }

  JsonWriter json_;
};

// The object unchanged, with the envelope, if there is one, after its bracket.
void AppendVerbatim(Text object, const std::optional<Envelope>& envelope, std::string& out) {
  if (!envelope) return AppendOnOneLine(object, out);
  out.append(R"({"conversation":)").append(JsonString(envelope->conversation).text()).append(1, ',');
  if (envelope->seq.value != 0) out.append(R"("seq":)").append(std::to_string(envelope->seq.value)).append(1, ',');
  AppendOnOneLine(object.substr(1), out);
}

void Append(const EventView& event, const std::optional<Envelope>& envelope, std::string& out) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  const bool tells_itself = verbatim != nullptr && !verbatim->tag.empty() && !event.source_text;
  if (tells_itself) return AppendVerbatim(verbatim->json.text(), envelope, out);
  EventWriter(out).Write(event, envelope);
}

}  // namespace

void AppendJson(const EventView& event, std::string& out) { Append(event, std::nullopt, out); }

void AppendJson(const EventView& event, std::string_view conversation, Seq seq, std::string& out) {
  Append(event, Envelope{conversation, seq}, out);
}

Event ErasedMark(EventKind kind) {
  std::string json;
  JsonWriter writer(json);
  writer.StartObject();
  writer.Field("type", "erased");
  writer.Field("kind", ToString(kind));
  writer.EndObject();
  Event mark;
  mark.body = Verbatim{EventKind::kUnknown, "erased", Json::FromTrusted(std::move(json))};
  return mark;
}

std::string ToJson(const EventView& event) {
  std::string out;
  AppendJson(event, out);
  return out;
}

}  // namespace turnlog
