#include "remote/forms.h"

#include <utility>

#include "base/base64.h"
#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_plain_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::unexpected<Error> NotUnderstood() {
  return std::unexpected(Error{ErrorCode::kIo, "the service answered in a form that this version does not understand"});
}

template <class T>
Result<T> Checked(const ObjectReader& object, T value) {
  if (!object.ok()) return NotUnderstood();
  return value;
}

Result<ObjectReader> ParseAnswer(std::string_view json) {
  auto object = ObjectReader::Parse(json);
  if (!object) return NotUnderstood();
  return object;
}

// One JSON object, written by `fill`.
template <class Fill>
std::string Document(Fill fill) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  fill(json);
  json.EndObject();
  return text;
}

template <class T>
void Objects(JsonWriter& json, std::string_view key, const std::vector<T>& elements, auto fill) {
  json.Key(key);
  json.StartArray();
  for (const T& element : elements) {
    json.StartObject();
    fill(json, element);
    json.EndObject();
  }
  json.EndArray();
}

// The objects of one array in a document, each read by `read`.
template <class T>
Result<std::vector<T>> ReadAll(std::string_view text, std::string_view key, auto read) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  std::vector<T> all;
  for (const ObjectReader& element : object.Objects(key)) all.push_back(read(element));
  return Checked(object, std::move(all));
}

void WriteInfo(JsonWriter& json, const ConversationInfo& info) {
  json.Field("id", info.id);
  NumberField(json, "last", info.last.value);
  NumberField(json, "turns", info.turns);
  NumberField(json, "bytes", info.bytes);
  if (info.first_time) json.Field("first_time", info.first_time->ToRfc3339());
  if (info.last_time) json.Field("last_time", info.last_time->ToRfc3339());
}

ConversationInfo InfoOf(const ObjectReader& object) {
  return {.id = object.Text("id"),
          .last = {object.Number("last")},
          .turns = object.Number("turns"),
          .bytes = object.Number("bytes"),
          .first_time = object.FindTime("first_time"),
          .last_time = object.FindTime("last_time")};
}

std::optional<Seq> FindSeq(const ObjectReader& object, std::string_view name) {
  const auto number = object.FindNumber(name);
  return number ? std::optional(Seq{*number}) : std::nullopt;
}

}  // namespace

void WriteStats(const StoreStats& stats, JsonWriter& json) {
  json.Field("store_id", stats.store_id);
  NumberField(json, "format_version", stats.format_version);
  if (!stats.compression.empty()) json.Field("compression", stats.compression);
  NumberField(json, "conversations", stats.conversations);
  NumberField(json, "events", stats.events);
  NumberField(json, "payload_bytes", stats.payload_bytes);
  json.Field("engine", stats.engine);
}

std::string ToJson(const StoreForm& store) {
  return Document([&](JsonWriter& json) {
    WriteStats(store.stats, json);
    json.Field("instance", store.instance);
    json.Key("combines_appends"), json.Bool(store.combines_appends);
    json.Key("streams_appends"), json.Bool(store.streams_appends);
    json.Key("figures");
    json.StartArray();
    for (const StoreFigure& figure : store.stats.figures) {
      json.StartObject();
      json.Field("name", figure.name);
      NumberField(json, "value", figure.value);
      json.EndObject();
    }
    json.EndArray();
    json.Key("capabilities");
    json.StartObject();
    FlagField(json, "erases_in_place", store.capabilities.erases_in_place);
    FlagField(json, "total_order", store.capabilities.total_order);
    json.EndObject();
    json.Key("notes");
    json.StartArray();
    for (const std::string& note : store.notes) json.String(note);
    json.EndArray();
  });
}

Result<StoreForm> ReadStore(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  StoreForm store;
  store.instance = object.Text("instance");
  store.combines_appends = object.FindFlag("combines_appends").value_or(false);  // older services do not say it
  store.streams_appends = object.FindFlag("streams_appends").value_or(false);
  store.stats = {.store_id = object.Text("store_id"),
                 .engine = object.Text("engine"),
                 .format_version = static_cast<std::uint32_t>(object.Number("format_version")),
                 .compression = object.FindText("compression").value_or(""),
                 .conversations = object.Number("conversations"),
                 .events = object.Number("events"),
                 .payload_bytes = object.Number("payload_bytes"),
                 .figures = {}};
  for (const ObjectReader& figure : object.Objects("figures")) {
    store.stats.figures.push_back({figure.Text("name"), figure.Number("value")});
  }
  const ObjectReader capabilities = object.Object("capabilities");
  store.capabilities.erases_in_place = capabilities.Flag("erases_in_place");
  store.capabilities.total_order = capabilities.Flag("total_order");
  store.notes = object.Texts("notes");
  return Checked(object, std::move(store));
}

std::string ToJson(const ConversationInfo& info) {
  return Document([&](JsonWriter& json) { WriteInfo(json, info); });
}

Result<ConversationInfo> ReadInfo(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  return Checked(object, InfoOf(object));
}

std::string ToJson(const std::vector<ConversationInfo>& infos) {
  return Document([&](JsonWriter& json) { Objects(json, "conversations", infos, WriteInfo); });
}

Result<std::vector<ConversationInfo>> ReadInfos(std::string_view text) {
  return ReadAll<ConversationInfo>(text, "conversations", InfoOf);
}

std::string ToJson(const ConversationId& conversation, const AppendResult& result) {
  return Document([&](JsonWriter& json) {
    json.Field("conversation", conversation.text());
    Objects(json, "events", result.events, [](JsonWriter& each, const AppendedEvent& event) {
      NumberField(each, "seq", event.seq.value);
      FlagField(each, "repeated", event.repeated);
      FlagField(each, "redacted", event.redacted);
    });
  });
}

Result<AppendResult> ReadAppendResult(std::string_view text) {
  auto events = ReadAll<AppendedEvent>(text, "events", [](const ObjectReader& event) {
    return AppendedEvent{{event.Number("seq")}, event.Flag("repeated"), event.Flag("redacted")};
  });
  return AppendResult{TURNLOG_TRY(std::move(events)), {}};
}

std::string ToJson(const std::vector<InquiryRecord>& attempts) {
  return Document([&](JsonWriter& json) {
    Objects(json, "attempts", attempts, [](JsonWriter& each, const InquiryRecord& attempt) {
      NumberField(each, "turn", attempt.turn.value);
      if (attempt.request) NumberField(each, "request", attempt.request->value);
      if (attempt.response) NumberField(each, "response", attempt.response->value);
      FlagField(each, "pending", attempt.pending);
    });
  });
}

Result<std::vector<InquiryRecord>> ReadAttempts(std::string_view text) {
  return ReadAll<InquiryRecord>(text, "attempts", [](const ObjectReader& attempt) {
    return InquiryRecord{
        {attempt.Number("turn")}, FindSeq(attempt, "request"), FindSeq(attempt, "response"), attempt.Flag("pending")};
  });
}

Result<std::vector<PendingInquiry>> ReadPending(std::string_view text) {
  return ReadAll<PendingInquiry>(text, "pending", [](const ObjectReader& pending) {
    return PendingInquiry{pending.Text("conversation"), {pending.Number("turn")}, {pending.Number("seq")}};
  });
}

std::string ToJson(const std::vector<RepairRange>& repairs) {
  return Document([&](JsonWriter& json) {
    Objects(json, "repairs", repairs, [](JsonWriter& each, const RepairRange& repair) {
      NumberField(each, "seq", repair.seq.value);
      NumberField(each, "from", repair.from.value);
      NumberField(each, "to", repair.to.value);
    });
  });
}

Result<std::vector<RepairRange>> ReadRepairs(std::string_view text) {
  return ReadAll<RepairRange>(text, "repairs", [](const ObjectReader& repair) {
    return RepairRange{{repair.Number("seq")}, {repair.Number("from")}, {repair.Number("to")}};
  });
}

std::string ToJson(const Watermark& watermark) {
  return Document([&](JsonWriter& json) {
    NumberField(json, "head", watermark.head.value);
    std::string state;
    AppendBase64(watermark.state, state);
    json.Field("state", state);
  });
}

Result<Watermark> ReadWatermark(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  auto state = DecodeBase64(object.Text("state"));
  if (!state) return NotUnderstood();
  return Checked(object, Watermark{{object.Number("head")}, *std::move(state)});
}

std::string ToJson(const EraseReport& report) {
  return Document([&](JsonWriter& json) {
    NumberField(json, "events", report.events);
    NumberField(json, "bytes", report.bytes);
  });
}

Result<EraseReport> ReadEraseReport(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  return Checked(object, EraseReport{object.Number("events"), object.Number("bytes")});
}

std::string ToJson(const RedactReport& report) {
  return Document([&](JsonWriter& json) {
    NumberField(json, "redaction", report.redaction.value);
    NumberField(json, "bytes", report.bytes);
  });
}

Result<RedactReport> ReadRedactReport(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  return Checked(object, RedactReport{{object.Number("redaction")}, object.Number("bytes")});
}

std::string ToJson(const Position& position) {
  return Document([&](JsonWriter& json) { json.Field("position", position.ToText()); });
}

Result<Position> ReadPosition(std::string_view text) {
  const ObjectReader object = TURNLOG_TRY(ParseAnswer(text));
  return Position::Parse(object.Text("position"));
}

}  // namespace turnlog
