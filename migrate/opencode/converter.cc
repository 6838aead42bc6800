#include "migrate/opencode/converter.h"

#include <fmt/format.h>

#include <utility>

#include "migrate/openai/items.h"
#include "migrate/opencode/id_order.h"
#include "migrate/opencode/whole_message.h"
#include "migrate/records/compaction_event.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr const char* kHarness = "harness";

// When a message or part began, wherever its kind says so. The time of a row differs from that of the file that it once
// was.
std::optional<Timestamp> TimeOf(const JsonObject& record, const OpencodeMessage& message) {
  const JsonObject part = PartOf(record);
  for (const std::string_view number : {record.Object("info").Object("time")["created"], part.Object("time")["start"],
                                        part.Object("state").Object("time")["start"], part.Object("time")["created"]}) {
    if (const auto time = ReadMilliseconds(number)) return time;
  }
  return message.time ? message.time : ReadMilliseconds(record["time_created"]);
}

// Of a message: the rest changes until it is complete, and is only in the text of the record, which can be revised.
std::string WhatStays(std::string_view id, std::string_view role) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (!id.empty()) json.Key("id"), json.Exactly(id);
  json.Key("role"), json.Exactly(role);
  json.EndObject();
  return text;
}

}  // namespace

JsonObject PartOf(const JsonObject& record) { return IsJsonString(record["table"]) ? record.Embedded("data") : record; }

// A file has the ids among the fields of the part, a row beside its data.
std::string MeaningOfPart(std::string_view record) {
  const JsonObject whole = JsonObject::Parse(record).value_or(JsonObject()), part = PartOf(whole);
  if (part.fields().empty()) return std::string(record);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (!whole["id"].empty()) json.Key("id"), json.Exactly(whole["id"]);
  for (const auto& [name, value] : part.fields()) {
    if (name == R"("id")" || name == R"("sessionID")" || name == R"("messageID")") continue;
    json.Key(UnescapeJson(name)), json.Exactly(value);
  }
  json.EndObject();
  return text;
}

RecordHead OpencodeConverter::Head(const JsonObject& record) const {
  const bool is_message = record["info"].starts_with('{');
  return {.id = is_message ? record.Object("info").String("id") : record.String("id"),
          .time = TimeOf(record, *message_)};
}

bool OpencodeConverter::IsRecord(const JsonObject& object) const {
  return IsJsonString(object.Object("info")["role"]) && object["parts"].starts_with('[');
}

void OpencodeConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (IsWholeMessage(record)) return AddWholeMessage(record, turns_, events);
  if (!record["info"].starts_with('{')) {
    const JsonObject part = PartOf(record);
    if (IsJsonString(part["role"])) return events.AddForeign(WhatStays(record["id"], part["role"]));
    return part.fields().empty() ? void() : Part({}, part, events);
  }
  *message_ = ReadOpencodeMessage(record.Object("info"));
  std::vector<std::pair<std::string_view, JsonObject>> parts;
  for (const std::string_view text : ElementsOf(record["parts"])) parts.emplace_back(text, JsonObject::OfValid(text));
  OrderByTimeOfIds(parts, [](const auto& part) { return part.second.String("id").value_or(""); });
  for (const auto& [text, part] : parts) Part(text, part, events);
}

// `text`: of a part among others, which must be kept if it has no event; empty if it is the record.
void OpencodeConverter::Part(std::string_view text, const JsonObject& part, RecordEvents& events) {
  const std::string type = part.String("type").value_or("");
  if (stepped_ != message_->id) stepped_ = message_->id, steps_ = 0;
  if (type == "step-start") ++steps_;
  const bool has_text = IsJsonString(part["text"]);
  const auto tool = type == "tool" ? ReadOpencodeTool(part) : std::nullopt;
  if (type == "text" && has_text && message_->by_user) return User(part, events);
  if (type == "text" && has_text) return Text(part, events);
  if (type == "reasoning" && has_text) return Reasoning(part, events);
  if (tool) return Tool(*tool, events);
  if (!text.empty()) events.AddForeign(text);
}

// What opencode adds to a prompt is synthetic.
void OpencodeConverter::User(const JsonObject& part, RecordEvents& events) {
  const bool synthetic = part.IsTrue("synthetic");
  if (synthetic) {
    turns_.BeforeHarness(events);
  } else if (prompted_.empty() || prompted_ != message_->id) {
    turns_.BeforePrompt(events);
    prompted_ = message_->id;
  }
  auto author = synthetic ? std::optional<std::string>(kHarness) : std::nullopt;
  events.Add(ChatRequest{.content = *part.String("text"), .author = std::move(author), .schema = {}});
  events.Reproduces(Slot::kContent, part["text"]);
}

void OpencodeConverter::Text(const JsonObject& part, RecordEvents& events) {
  const std::string_view token = part["text"];
  if (message_->summary && turns_.turns() > 0) {
    AddCompaction(0, turns_.turns() - 1, token, token, events);
    return turns_.End();
  }
  turns_.BeforeOther(events);
  events.Add(ChatResponse{ChatPart::kMessage, UnescapeJson(token)}).metadata = Metadata();
  events.Reproduces(Slot::kContent, token);
}

// The metadata are the provider's: a signature, encrypted content.
void OpencodeConverter::Reasoning(const JsonObject& part, RecordEvents& events) {
  turns_.BeforeOther(events);
  Event& event = events.Add(ChatResponse{ChatPart::kReasoning, *part.String("text")});
  const std::string_view provider = part["metadata"];
  event.metadata = Metadata(provider.starts_with('{') ? provider : std::string_view());
  events.Reproduces(Slot::kContent, part["text"]);
  if (provider.starts_with('{')) events.Reproduces(Slot::kOpaque, provider);
}

// A message has a step for each answer of the model. The calls of a step were made together, although each is followed
// by its result.
Json OpencodeConverter::Metadata(std::string_view opaque) const {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (!message_->id.empty()) {
    json.Field("message_id", steps_ > 1 ? fmt::format("{}#{}", message_->id, steps_) : message_->id);
  }
  if (!opaque.empty()) json.Key("opaque"), json.Exactly(opaque);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

void OpencodeConverter::Tool(const OpencodeTool& tool, RecordEvents& events) {
  turns_.BeforeOther(events);
  AddCall(tool.call, tool.name, tool.input, Metadata(), events);
  const std::vector<InquiryRequest> questions = ReadOpencodeQuestions(tool);
  for (const InquiryRequest& question : questions) events.Add(question);
  if (!tool.HasResult()) return;
  std::size_t number = 0;
  for (const InquiryRequest& question : questions) events.Add(ReadOpencodeAnswer(question, number++, tool));
  Event& event = events.Add(ReadOpencodeResult(tool));
  // The session of a subagent.
  if (const std::string_view session = tool.metadata["sessionId"]; IsJsonString(session)) {
    event.metadata = Json::FromTrusted(fmt::format(R"({{"agent":{}}})", session));
  }
  events.Reproduces(Slot::kContent, tool.result);
}

}  // namespace turnlog
