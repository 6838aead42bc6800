#include "migrate/jp/message_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "migrate/jp/base64_text.h"
#include "migrate/jp/time.h"
#include "migrate/jp/tool_answers.h"
#include "migrate/records/json_object.h"
#include "migrate/records/record_events.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kUserMessage = "user_message", kAssistantMessage = "assistant_message";
constexpr std::array<std::string_view, 3> kMessageFields{"timestamp", "type", "message"};
constexpr std::array<std::string_view, 4> kPairFields{"timestamp", "message", "reply", "config_delta"};
constexpr std::array<std::string_view, 6> kReplyFields{"timestamp", "type",       "reasoning",
                                                       "content",   "tool_calls", "metadata"};

constexpr std::array<std::string_view, 4> kResultFields{"id", "content", "error", "is_error"};
constexpr std::array<std::string_view, 4> kCallFields{"id", "name", "arguments", "tool_answers"};

// The fields of the object that are not among `known`, as an object; empty if there are none.
Json OthersOf(const JsonObject& object, Names known) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  for (const auto& [token, value] : object.fields()) {
    const std::string name = UnescapeJson(token);
    if (std::ranges::find(known, name) != known.end()) continue;
    json.Key(name), AppendCompact(value, json.Value());
  }
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

// Both are objects, or empty.
Json Joined(const Json& one, const Json& other) {
  if (one.empty() || other.empty()) return one.empty() ? other : one;
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Fields(JsonView::FromTrusted(one.text()));
  json.Fields(JsonView::FromTrusted(other.text()));
  json.EndObject();
  return Json::FromTrusted(std::move(text));
}

Json Under(std::string_view name, const Json& object) {
  if (object.empty()) return {};
  return Json::FromTrusted(fmt::format(R"({{"{}":{}}})", name, object.text()));
}

class PairReader {
 public:
  explicit PairReader(ElementContext context) : context_(context) {}

  std::vector<Event> Read(const JsonObject& element, std::string_view lead) {
    RecordHead head;
    if (const auto time = element.String("timestamp")) head.time = ParseJpTime(*time);
    events_.Begin("jp", element.text(), std::move(head));
    if (!Convert(element) || events_.empty() || !events_.AreValid()) return {};
    events_.Finish(lead, false);
    return std::move(events_.events());
  }

 private:
  bool Convert(const JsonObject& element) {
    const std::optional<std::string> type = element.String("type");
    if (type == kAssistantMessage) {
      rest_ = OthersOf(element, kReplyFields);
      return Reply(element);
    }
    if (type == kUserMessage) {
      rest_ = OthersOf(element, kMessageFields);
      return Message(element["message"]);
    }
    return element["type"].empty() && Pair(element, element["reply"]);
  }

  bool Pair(const JsonObject& element, std::string_view reply_text) {
    const auto reply = JsonObject::Parse(reply_text);
    if (!reply && reply_text != "null") return false;
    const std::size_t known = kPairFields.size() - (context_.first ? 1 : 0);
    rest_ = Joined(OthersOf(element, Names(kPairFields).first(known)),
                   Under("reply", OthersOf(reply.value_or(JsonObject()), kReplyFields)));
    Config(element["config_delta"]);
    return Message(element["message"]) && Reply(reply.value_or(JsonObject()));
  }

  // The first pair has the whole configuration; that of a later one is a change.
  void Config(std::string_view delta) {
    if (delta.empty() || context_.first) return;
    std::string text;
    JsonWriter json(text);
    json.StartObject();
    json.Field("type", ToString(EventKind::kConfigDelta));
    if (events_.head().time) json.Field("timestamp", FormatJpTime(*events_.head().time));
    json.Key("delta"), json.Exactly(delta);
    json.EndObject();
    events_.Add(Verbatim{EventKind::kConfigDelta, std::string(ToString(EventKind::kConfigDelta)),
                         Json::FromTrusted(std::move(text))});
  }

  bool Message(std::string_view message) {
    if (IsJsonString(message)) {
      Add(ChatRequest{UnescapeJson(message), {}, {}});
      events_.Reproduces(Slot::kContent, message);
      return true;
    }
    return message.starts_with('[') && std::ranges::all_of(ElementsOf(message), [&](std::string_view result) {
             return Result(JsonObject::Parse(result).value_or(JsonObject()));
           });
  }

  bool Result(const JsonObject& result) {
    auto id = result.String("id");
    auto content = result.String("content");
    if (!id || !content) return false;
    if (!context_.plain) DecodeJpContent(*content);
    const bool is_error = result.IsTrue("error") || result.IsTrue("is_error");
    Add(ToolCallResponse{*std::move(id), *std::move(content), is_error, {}}).extra = OthersOf(result, kResultFields);
    events_.Reproduces(Slot::kContent, result["content"]);
    return true;
  }

  bool Reply(const JsonObject& reply) {
    const std::string_view metadata = reply["metadata"];
    if (metadata.starts_with('{')) metadata_ = Json::FromTrusted(std::string(metadata));
    return Part(ChatPart::kReasoning, reply["reasoning"]) && Part(ChatPart::kMessage, reply["content"]) &&
           std::ranges::all_of(ElementsOf(reply["tool_calls"]), [&](std::string_view call) {
             return Call(JsonObject::Parse(call).value_or(JsonObject()));
           });
  }

  bool Part(ChatPart part, std::string_view text) {
    if (text.empty() || text == "null") return true;
    if (!IsJsonString(text)) return false;
    AddReply(ChatResponse{part, UnescapeJson(text)});
    events_.Reproduces(Slot::kContent, text);
    return true;
  }

  bool Call(const JsonObject& call) {
    auto id = call.String("id");
    auto name = call.String("name");
    const std::string_view arguments = call["arguments"];
    if (!id || !name || (!arguments.empty() && !arguments.starts_with('{'))) return false;
    ToolCallRequest request{*std::move(id), *std::move(name), {}};
    request.arguments = Json::FromTrusted(std::string(arguments.empty() ? "{}" : arguments));
    if (!AddToolAnswers(call["tool_answers"], request.arguments)) return false;
    if (!context_.plain) DecodeJpStrings(request.arguments);
    AddReply(std::move(request)).extra = OthersOf(call, kCallFields);
    events_.Reproduces(Slot::kArguments, arguments);
    return true;
  }

  // The first event of the reply has the reply's metadata.
  Event& AddReply(Event::Body body) {
    Event& event = Add(std::move(body));
    event.metadata = Joined(std::exchange(metadata_, {}), event.metadata);
    return event;
  }

  // The first event of the pair has what is left of it.
  Event& Add(Event::Body body) {
    Event& event = events_.Add(std::move(body));
    event.metadata = Under(kMessagePair, std::exchange(rest_, {}));
    return event;
  }

  const ElementContext context_;
  RecordEvents events_;
  Json rest_, metadata_;  // for the first event of the pair and of the reply
};

}  // namespace

bool IsHalfPair(std::string_view type) { return type == kUserMessage || type == kAssistantMessage; }

std::vector<Event> ReadMessagePair(const RawElement& element, ElementContext context) {
  const auto type = FindJsonString(element.text, "type");
  if (type && !IsHalfPair(*type)) return {};  // the usual case
  const auto object = JsonObject::Parse(element.text);
  return object ? PairReader(context).Read(*object, element.lead) : std::vector<Event>();
}

std::string_view ConfigOfPair(const EventView& event) {
  const auto pair = FindJsonField(event.metadata.text(), kMessagePair);
  const auto config = pair ? FindJsonField(pair->value, "config_delta") : std::nullopt;
  return config && config->value.starts_with('{') ? config->value : std::string_view();
}

}  // namespace turnlog
