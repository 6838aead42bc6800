#include "migrate/opencode/whole_message.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "migrate/openai/items.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/tool_part.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr const char* kSyntheticAuthor = "harness";

std::string TypeOfWhole(const JsonObject& row) { return row.String("type").value_or(""); }

std::string StatusOfCall(std::string_view part) {
  const JsonObject object = JsonObject::OfValid(part);
  return object.String("type") == "tool" ? object.Object("state").String("status").value_or("") : std::string();
}

bool HasCallWith(const JsonObject& message, bool (*is_one)(const std::string& status)) {
  return std::ranges::any_of(ElementsOf(message["content"]),
                             [&](std::string_view part) { return is_one(StatusOfCall(part)); });
}

Json WholeMetadata(const JsonObject& row, std::string_view opaque = {}) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (IsJsonString(row["id"])) json.Key("message_id"), json.Exactly(row["id"]);
  if (!opaque.empty()) json.Key("opaque"), json.Exactly(opaque);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

void AddWholeText(ChatPart part, std::string_view token, Json metadata, std::string_view opaque, RecordEvents& events) {
  events.Add(ChatResponse{part, UnescapeJson(token)}).metadata = std::move(metadata);
  events.Reproduces(Slot::kContent, token);
  if (!opaque.empty()) events.Reproduces(Slot::kOpaque, opaque);
}

// What a call has given beside its text, such as the answers of the user: older and newer versions name it otherwise.
JsonObject DetailsOfCall(const JsonObject& state) {
  for (const std::string_view name : {"structured", "metadata", "output"}) {
    if (JsonObject details = state.Object(name); !details.fields().empty()) return details;
  }
  return {};
}

std::optional<OpencodeTool> ReadWholeTool(const JsonObject& part) {
  auto call = part.String("callID");
  if (!call) call = part.String("id");
  auto name = part.String("name");
  if (!call || !name) return std::nullopt;
  const JsonObject state = part.Object("state");
  const std::string status = state.String("status").value_or("");
  OpencodeTool tool{.call = *std::move(call), .name = *std::move(name), .input = state["input"]};
  if (status == "completed") tool.state = OpencodeTool::State::kDone;
  if (status == "error") tool.state = OpencodeTool::State::kFailed;
  if (tool.state == OpencodeTool::State::kFailed) {
    const std::string_view error = state["error"];
    tool.result = IsJsonString(error) ? error : state.Object("error")["message"];
  }
  tool.metadata = DetailsOfCall(state);
  return tool;
}

// Its text is that of its error, or of all parts of what it has given.
void AddWholeResult(const OpencodeTool& tool, const JsonObject& state, RecordEvents& events) {
  ToolCallResponse response = ReadOpencodeResult(tool);
  if (IsJsonString(tool.result)) {
    events.Add(std::move(response));
    return events.Reproduces(Slot::kContent, tool.result);
  }
  auto text = ReadContentText(state["content"]);
  if (!text) text = ReadContentText(state["output"]);
  if (text) response.content = std::move(text->text);
  events.Add(std::move(response));
  if (text) events.Reproduces(Slot::kContent, text->token, text->usual);
}

bool AddWholeTool(const JsonObject& row, const JsonObject& part, RecordEvents& events) {
  const auto tool = ReadWholeTool(part);
  if (!tool) return false;
  AddCall(tool->call, tool->name, tool->input, WholeMetadata(row), events);
  const std::vector<InquiryRequest> questions = ReadOpencodeQuestions(*tool);
  for (const InquiryRequest& question : questions) events.Add(question);
  if (tool->state == OpencodeTool::State::kCalled) return true;
  std::size_t number = 0;
  for (const InquiryRequest& question : questions) events.Add(ReadOpencodeAnswer(question, number++, *tool));
  AddWholeResult(*tool, part.Object("state"), events);
  return true;
}

void AddWholePart(const JsonObject& row, std::string_view text, RecordEvents& events) {
  const JsonObject part = JsonObject::OfValid(text);
  const std::string type = part.String("type").value_or("");
  const std::string_view said = part["text"], opaque = part["providerMetadata"];
  if (type == "text" && IsJsonString(said))
    return AddWholeText(ChatPart::kMessage, said, WholeMetadata(row), {}, events);
  if (type == "reasoning" && IsJsonString(said)) {
    const std::string_view provider = opaque.starts_with('{') ? opaque : std::string_view();
    return AddWholeText(ChatPart::kReasoning, said, WholeMetadata(row, provider), provider, events);
  }
  if (type != "tool" || !AddWholeTool(row, part, events)) events.AddForeign(text);
}

void AddWholeRequest(std::string_view token, const char* author, RecordEvents& events) {
  ChatRequest request{.content = UnescapeJson(token), .author = {}, .schema = {}};
  if (author != nullptr) request.author = author;
  events.Add(std::move(request));
  events.Reproduces(Slot::kContent, token);
}

void AddWholeCompaction(std::string_view summary, TurnTracker& turns, RecordEvents& events) {
  if (turns.turns() == 0) return;
  AddCompaction(0, turns.turns() - 1, summary, summary, events);
  turns.End();
}

}  // namespace

bool IsOpenWhole(const JsonObject& row) {
  const JsonObject message = PartOf(row);
  if (TypeOfWhole(row) == "compaction") return message.String("summary").value_or("").empty();
  return TypeOfWhole(row) == "assistant" && message.Object("time")["completed"].empty() &&
         !message["error"].starts_with('{');
}

bool IsUnfinishedWhole(const JsonObject& row) {
  const JsonObject message = PartOf(row);
  const bool runs = HasCallWith(message, [](const std::string& status) { return status == "running"; });
  const bool begins = HasCallWith(message, [](const std::string& status) {
    return !status.empty() && status != "running" && status != "completed" && status != "error";
  });
  return IsOpenWhole(row) && (!runs || begins);
}

void AddWholeMessage(const JsonObject& row, TurnTracker& turns, RecordEvents& events) {
  const std::string type = TypeOfWhole(row);
  const JsonObject message = PartOf(row);
  const std::string_view text = message["text"], summary = message["summary"];
  if (type == "user" && IsJsonString(text)) {
    turns.BeforePrompt(events);
    return AddWholeRequest(text, nullptr, events);
  }
  if (type == "synthetic" && IsJsonString(text)) {
    turns.BeforeHarness(events);
    return AddWholeRequest(text, kSyntheticAuthor, events);
  }
  if (type == "compaction" && IsJsonString(summary)) return AddWholeCompaction(summary, turns, events);
  const std::vector<std::string_view> parts = ElementsOf(message["content"]);
  if (type != "assistant" || parts.empty()) return;
  turns.BeforeOther(events);
  for (const std::string_view part : parts) AddWholePart(row, part, events);
}

}  // namespace turnlog
