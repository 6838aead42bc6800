#include "remote/redaction_form.h"

#include <utility>

#include "base/base64.h"
#include "base/try.h"
#include "base/utf8.h"
#include "remote/object_reader.h"
#include "schema/json/json_plain_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

void Time(JsonWriter& json, std::string_view key, const std::optional<Timestamp>& time) {
  if (time) json.Field(key, time->ToRfc3339());
}

template <class T>
void List(JsonWriter& json, std::string_view key, const T& elements, auto write) {
  json.Key(key), json.StartArray();
  for (const auto& element : elements) write(element);
  json.EndArray();
}

template <class T>
void Objects(JsonWriter& json, std::string_view key, const T& elements, auto fill) {
  List(json, key, elements, [&](const auto& element) {
    json.StartObject();
    fill(json, element);
    json.EndObject();
  });
}

template <class T>
std::vector<T> ReadObjects(const ObjectReader& object, std::string_view key, auto read) {
  std::vector<T> all;
  for (const ObjectReader& element : object.Objects(key)) all.push_back(read(element));
  return all;
}

// Names of files may be any bytes, and messages quote them: if they are no text, as {"base64"}.
void Bytes(JsonWriter& json, std::string_view key, std::string_view bytes) {
  if (IsUtf8(bytes)) return json.Field(key, bytes);
  std::string encoded;
  AppendBase64(bytes, encoded);
  json.Key(key), json.StartObject();
  json.Field("base64", encoded);
  json.EndObject();
}

std::string ReadBytes(const ObjectReader& object, std::string_view key) {
  if (auto text = object.FindText(key)) return *std::move(text);
  return DecodeBase64(object.Object(key).Text("base64")).value_or("");
}

Seq SeqOf(const ObjectReader& object) { return {object.Number("seq")}; }

void Write(JsonWriter& json, const RedactedConversation& conversation) {
  json.Field("id", conversation.id);
  Objects(json, "events", conversation.events, [](JsonWriter& each, const RedactedEvent& event) {
    NumberField(each, "seq", event.seq.value);
    List(each, "rules", event.rules, [&](const std::string& rule) { each.String(rule); });
  });
  List(json, "redactions", conversation.redactions, [&](Seq seq) { json.Unsigned(seq.value); });
}

RedactedConversation ReadConversation(const ObjectReader& object) {
  RedactedConversation conversation{object.Text("id"), {}, {}};
  conversation.events = ReadObjects<RedactedEvent>(
      object, "events", [](const ObjectReader& event) { return RedactedEvent{SeqOf(event), event.Texts("rules")}; });
  for (const std::uint64_t seq : object.Numbers("redactions")) conversation.redactions.push_back({seq});
  return conversation;
}

void Write(JsonWriter& json, const ValueLocation& location) {
  Bytes(json, "file", location.file);
  NumberField(json, "offset", location.offset);
  json.Field("conversation", location.conversation);
  NumberField(json, "seq", location.seq.value);
  json.Field("field", location.field);
}

ValueLocation ReadLocation(const ObjectReader& object) {
  return {.file = ReadBytes(object, "file"),
          .offset = object.Number("offset"),
          .conversation = object.Text("conversation"),
          .seq = SeqOf(object),
          .field = object.Text("field")};
}

void Write(JsonWriter& json, const RedactedSecret& secret) {
  json.Field("fingerprint", secret.fingerprint);
  json.Field("rule", secret.rule);
  json.Field("why", secret.why);
  Objects(json, "events", secret.events, [](JsonWriter& each, const ValueLocation& event) { Write(each, event); });
  NumberField(json, "conversations", secret.conversations);
  Time(json, "first", secret.first);
  Time(json, "last", secret.last);
  FlagField(json, "sent_to_model", secret.sent_to_model);
}

RedactedSecret ReadSecret(const ObjectReader& object) {
  return {.fingerprint = object.Text("fingerprint"),
          .rule = object.Text("rule"),
          .why = object.Text("why"),
          .events = ReadObjects<ValueLocation>(object, "events", ReadLocation),
          .conversations = object.Number("conversations"),
          .first = object.FindTime("first"),
          .last = object.FindTime("last"),
          .sent_to_model = object.Flag("sent_to_model")};
}

void Write(JsonWriter& json, const UnsearchedValue& value) {
  json.Field("conversation", value.conversation);
  NumberField(json, "seq", value.seq.value);
  NumberField(json, "index", value.index);
  json.Field("rule", value.rule);
  json.Field("reason", value.reason);
}

UnsearchedValue ReadUnsearched(const ObjectReader& object) {
  return {.conversation = object.Text("conversation"),
          .seq = SeqOf(object),
          .index = object.Number("index"),
          .rule = object.Text("rule"),
          .reason = object.Text("reason")};
}

void Write(JsonWriter& json, const Damage& damage) {
  Bytes(json, "file", damage.file);
  NumberField(json, "offset", damage.offset);
  NumberField(json, "length", damage.length);
  json.Field("conversation", damage.conversation);
  NumberField(json, "seq", damage.seq);
  Bytes(json, "reason", damage.reason);
}

Damage ReadDamage(const ObjectReader& object) {
  return {.file = ReadBytes(object, "file"),
          .offset = object.Number("offset"),
          .length = object.Number("length"),
          .conversation = object.Text("conversation"),
          .seq = object.Number("seq"),
          .reason = ReadBytes(object, "reason")};
}

void Write(JsonWriter& json, const InquiryToRedact& inquiry) {
  json.Field("id", inquiry.id);
  if (inquiry.turn) NumberField(json, "turn", inquiry.turn->value);
  if (inquiry.conversation) json.Field("conversation", inquiry.conversation->text());
}

void Write(JsonWriter& json, const AcceptedFinding& finding) {
  json.Field("rule", finding.rule);
  json.Field("conversation", finding.conversation);
  NumberField(json, "seq", finding.seq.value);
}

constexpr auto kWrite = [](JsonWriter& json, const auto& element) { Write(json, element); };

void Write(JsonWriter& json, const RedactionPlan& plan) {
  NumberField(json, "values", plan.values);
  NumberField(json, "events_read", plan.events_read);
  NumberField(json, "conversations_read", plan.conversations_read);
  Objects(json, "conversations", plan.conversations, kWrite);
  Objects(json, "secrets", plan.secrets, kWrite);
  Objects(json, "kept", plan.kept, kWrite);
  Objects(json, "opaque", plan.opaque, kWrite);
  Objects(json, "unsearched", plan.unsearched, kWrite);
  Objects(json, "damage", plan.damage, kWrite);
}

RedactionPlan ReadPlan(const ObjectReader& object) {
  return {.values = object.Number("values"),
          .events_read = object.Number("events_read"),
          .conversations_read = object.Number("conversations_read"),
          .conversations = ReadObjects<RedactedConversation>(object, "conversations", ReadConversation),
          .secrets = ReadObjects<RedactedSecret>(object, "secrets", ReadSecret),
          .kept = ReadObjects<ValueLocation>(object, "kept", ReadLocation),
          .opaque = ReadObjects<ValueLocation>(object, "opaque", ReadLocation),
          .unsearched = ReadObjects<UnsearchedValue>(object, "unsearched", ReadUnsearched),
          .damage = ReadObjects<Damage>(object, "damage", ReadDamage)};
}

void Write(JsonWriter& json, const RedactionProof& proof) {
  Time(json, "time", proof.time);
  json.Field("store_id", proof.store_id);
  List(json, "rules", proof.rules, [&](const std::string& rule) { json.String(rule); });
  NumberField(json, "values", proof.values);
  NumberField(json, "unsearched", proof.unsearched);
  Objects(json, "conversations", proof.conversations, kWrite);
  NumberField(json, "files", proof.files);
  NumberField(json, "bytes", proof.bytes);
  NumberField(json, "index_entries", proof.index_entries);
  NumberField(json, "compressed_records", proof.compressed_records);
  NumberField(json, "sources", proof.sources);
  NumberField(json, "left_count", proof.left_count);
  Objects(json, "left", proof.left, kWrite);
  Objects(json, "problems", proof.problems,
          [](JsonWriter& each, const std::string& problem) { Bytes(each, "text", problem); });
}

RedactionProof ReadProof(const ObjectReader& object) {
  return {.time = object.FindTime("time").value_or(Timestamp()),
          .store_id = object.Text("store_id"),
          .rules = object.Texts("rules"),
          .values = object.Number("values"),
          .unsearched = object.Number("unsearched"),
          .conversations = ReadObjects<RedactedConversation>(object, "conversations", ReadConversation),
          .files = object.Number("files"),
          .bytes = object.Number("bytes"),
          .index_entries = object.Number("index_entries"),
          .compressed_records = object.Number("compressed_records"),
          .sources = object.Number("sources"),
          .left_count = object.Number("left_count"),
          .left = ReadObjects<ValueLocation>(object, "left", ReadLocation),
          .problems = ReadObjects<std::string>(object, "problems",
                                               [](const ObjectReader& problem) { return ReadBytes(problem, "text"); })};
}

// All but the values, and the end of the object.
std::string WithoutValues(const RedactionTargets& targets, std::string_view by) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("kind", "redact");
  FlagField(json, "report", true);
  FlagField(json, "secrets", targets.secrets);
  FlagField(json, "detect", targets.detect);
  FlagField(json, "all", !targets.only_new);
  json.Field("by", by);
  Objects(json, "inquiries", targets.inquiries, kWrite);
  Objects(json, "accepted", targets.accepted, kWrite);
  if (targets.rules_text) {
    json.Key("rules"), json.StartObject();
    json.Field("file", targets.rules.string());
    json.Field("text", *targets.rules_text);
    json.EndObject();
  }
  return text;
}

}  // namespace

SecretString RedactionJob(const RedactionTargets& targets, std::string_view by) {
  SecretString body(WithoutValues(targets, by));
  body.Append(R"(,"values_base64":[)");
  std::string_view comma;
  for (const std::string_view value : targets.values) {
    std::string encoded;
    encoded.reserve(value.size() / 3 * 4 + 4);  // so that no part stays behind
    AppendBase64(value, encoded);
    body.Append(comma), body.Append('"'), body.Append(encoded), body.Append('"');
    Wipe(encoded);
    comma = ",";
  }
  body.Append("]}");
  return body;
}

std::string ToJson(const RedactionPlan& plan, const RedactionProof* proof) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("plan"), json.StartObject();
  Write(json, plan);
  json.EndObject();
  if (proof != nullptr) {
    json.Key("proof"), json.StartObject();
    Write(json, *proof);
    json.EndObject();
  }
  json.EndObject();
  return text;
}

Result<RedactionPlan> ReadRedactionPlan(std::string_view text) {
  const auto object = ObjectReader::Parse(text);
  if (object) {
    RedactionPlan plan = ReadPlan(object->Object("plan"));
    if (object->ok()) return plan;
  }
  return std::unexpected(Error{ErrorCode::kIo, "the service answered in a form that this version does not understand"});
}

Result<RemoteRedaction> ReadRedaction(std::string_view text) {
  const auto object = ObjectReader::Parse(text);
  if (object) {
    RemoteRedaction redaction{ReadPlan(object->Object("plan")), ReadProof(object->Object("proof"))};
    if (object->ok()) return redaction;
  }
  return std::unexpected(Error{ErrorCode::kIo, "the service answered in a form that this version does not understand"});
}

}  // namespace turnlog
