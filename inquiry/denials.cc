#include "turnlog/inquiry/denials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "inquiry/event_walk.h"
#include "inquiry/json_tree.h"
#include "inquiry/safe_text.h"
#include "schema/json/json_writer.h"
#include "turnlog/open_requests.h"

namespace turnlog {
namespace {

using Text = std::string_view;
using Kind = JsonNode::Kind;

constexpr std::size_t kLineLimit = 200, kToolLimit = 40, kCallLimit = 60;

std::optional<std::string> OptionalString(const JsonNode& object, std::string_view name) {
  const JsonNode* const field = object.Find(name);
  return field != nullptr && field->is(Kind::kString) ? std::optional(field->string) : std::nullopt;
}

std::string StringOf(const JsonNode& object, std::string_view name) {
  return OptionalString(object, name).value_or("");
}

// Collects denials from the end of the log backwards.
class Collector {
 public:
  enum class Until : std::uint8_t { kModelSpoke, kTurnBegan };

  explicit Collector(Until until) : until_(until) {}

  Walk Visit(const EventView& event) {
    switch (event.kind()) {
      case EventKind::kToolCallResponse:
        TakeResponse(event);
        break;
      case EventKind::kToolCallRequest:
        TakeCall(std::get<BasicToolCallRequest<Text>>(event.body));
        done_ = done_ || until_ == Until::kModelSpoke;
        break;
      case EventKind::kChatResponse:
        done_ = done_ || until_ == Until::kModelSpoke;
        break;
      case EventKind::kTurnStart:
        responses_.Clear();
        without_call_.clear();
        done_ = done_ || until_ == Until::kTurnBegan;
        break;
      default:
        break;
    }
    return done_ && without_call_.empty() ? Walk::kEnd : Walk::kOn;
  }

  // Oldest first.
  std::vector<DeniedCall> Take() && {
    std::ranges::reverse(found_);
    return std::move(found_);
  }

 private:
  void TakeResponse(const EventView& event) {
    const auto& response = std::get<BasicToolCallResponse<Text>>(event.body);
    responses_.Open(response.id, ++responses_read_);
    if (done_) return;
    TakeHandedUp(event.metadata);
    if (!response.denied) return;
    DeniedCall denied{
        .tool = {}, .call = std::string(response.id), .reason = {}, .arguments_hash = {}, .conversation = {}};
    if (response.denied->reason) denied.reason = std::string(*response.denied->reason);
    if (const auto& extra = response.denied->extra; !extra.empty()) {
      denied.arguments_hash = StringOf(ParseTree(extra), "arguments_hash");
    }
    without_call_.emplace(responses_read_, found_.size());
    found_.push_back(std::move(denied));
  }

  void TakeHandedUp(const JsonView& metadata) {
    if (metadata.empty()) return;
    const JsonNode object = ParseTree(metadata);
    const JsonNode* const denials = object.Find("denials");
    if (denials == nullptr) return;
    for (auto denial = denials->elements.rbegin(); denial != denials->elements.rend(); ++denial) {
      found_.push_back({StringOf(*denial, "tool"), StringOf(*denial, "call"), OptionalString(*denial, "reason"),
                        StringOf(*denial, "arguments_hash"), OptionalString(*denial, "conversation")});
    }
  }

  // Read backwards, a call closes the nearest later response of its id: that makes the same pairs as reading forwards.
  void TakeCall(const BasicToolCallRequest<Text>& call) {
    const auto response = responses_.Close(call.id);
    const auto denied = response ? without_call_.find(*response) : without_call_.end();
    if (denied == without_call_.end()) return;
    DeniedCall& found = found_[denied->second];
    found.tool = call.name;
    if (found.arguments_hash.empty()) {
      found.arguments_hash = ArgumentsHash(call.name, Json::FromTrusted(std::string(call.arguments.text())));
    }
    without_call_.erase(denied);
  }

  const Until until_;
  bool done_ = false;
  std::vector<DeniedCall> found_;  // newest first
  OpenRequests responses_;         // whose calls have not been read yet, counted from the end of the log
  std::uint64_t responses_read_ = 0;
  std::map<std::uint64_t, std::size_t> without_call_;  // of responses_, the denials: their indexes in found_
};

Result<std::vector<DeniedCall>> Collect(Log& log, const ConversationId& conversation, Collector::Until until) {
  Collector collector(until);
  const ReadOptions from_the_end{.from = {0}, .backward = true};
  TURNLOG_TRY(WalkEvents(log, conversation, from_the_end,
                         [&](Seq, const EventView& event) { return Result<Walk>(collector.Visit(event)); }));
  return std::move(collector).Take();
}

void AppendDenial(const DeniedCall& denial, const std::string& conversation, JsonWriter& json) {
  json.StartObject();
  json.Field("tool", denial.tool);
  json.Field("call", denial.call);
  if (denial.reason) json.Field("reason", *denial.reason);
  json.Field("arguments_hash", denial.arguments_hash);
  json.Field("conversation", denial.conversation.value_or(conversation));
  json.EndObject();
}

}  // namespace

std::string ArgumentsHash(std::string_view tool, const Json& arguments) {
  const Hash128 hash = HashId(arguments.empty() ? "{}" : arguments.text(), Hash64(tool));
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

Result<std::vector<DeniedCall>> UndeliveredDenials(Log& log, const ConversationId& conversation) {
  return Collect(log, conversation, Collector::Until::kModelSpoke);
}

Result<std::vector<DeniedCall>> DenialsOfLastTurn(Log& log, const ConversationId& conversation) {
  return Collect(log, conversation, Collector::Until::kTurnBegan);
}

Json PropagateDenials(const ConversationId& from, std::span<const DeniedCall> denials) {
  if (denials.empty()) return {};
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Key("denials"), json.StartArray();
  for (const DeniedCall& denial : denials) AppendDenial(denial, from.text(), json);
  json.EndArray();
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

std::string DenialLine(const DeniedCall& denial) {
  const std::string tool = denial.tool.empty() ? "a tool" : SafeLine(denial.tool, kToolLimit);
  const std::string where = denial.conversation ? " of a delegated agent" : "";
  const std::string reason = denial.reason ? ": " + SafeLine(*denial.reason) : "";
  return SafeLine(fmt::format("The user denied {} (call {}, arguments {}){}{}", tool, SafeLine(denial.call, kCallLimit),
                              SafeLine(denial.arguments_hash, 32), where, reason),
                  kLineLimit);
}

std::string DenialContext(std::span<const DeniedCall> denials) {
  std::string lines;
  for (const DeniedCall& denial : denials) lines.append(lines.empty() ? "" : "\n").append(DenialLine(denial));
  return lines;
}

std::string RenderDeniedCall(const ToolCallRequest& call, const Denial& denial) {
  std::string text = fmt::format("[DENIED BY USER] {}\nInput: {}", SafeLine(call.name),
                                 SafeLine(call.arguments.empty() ? "{}" : call.arguments.text()));
  if (denial.reason) text.append("\nReason: ").append(SafeLine(*denial.reason));
  return text;
}

}  // namespace turnlog
