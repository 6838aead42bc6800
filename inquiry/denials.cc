#include "turnlog/inquiry/denials.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/try.h"
#include "inquiry/model_message.h"
#include "inquiry/safe_text.h"
#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_walk.h"
#include "turnlog/open_requests.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kReasonLimit = 200, kToolLimit = 40, kCallLimit = 60;

std::optional<std::string> OptionalString(const JsonNode& object, std::string_view name) {
  const JsonNode* const field = object.Find(name);
  return field != nullptr && field->is(Kind::kString) ? std::optional(field->string) : std::nullopt;
}

std::string StringOf(const JsonNode& object, std::string_view name) {
  return OptionalString(object, name).value_or("");
}

// Without what is unsafe, but with every blank: each line break or tab is one.
std::string SafeBytes(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::string safe;
  while (!text.empty()) {
    const std::size_t word = std::min(text.find_first_of(kBlank), text.size());
    safe += SafeLine(text.substr(0, word));
    text.remove_prefix(word);
    const std::size_t blanks = std::min(text.find_first_not_of(kBlank), text.size());
    safe.append(blanks, ' ');
    text.remove_prefix(blanks);
  }
  return safe;
}

// Which of its responses the model had begun after a position, as far as events say: by message (TurnRecorder), or, of
// writers that do not tell messages apart, whether there is a chat_response, which begins one.
struct Spoken {
  std::set<std::uint64_t> messages;
  bool unnumbered_calls = false, unnumbered_chat = false;

  bool any() const { return !messages.empty() || unnumbered_calls || unnumbered_chat; }
  // One that is not the message of this number, or of none.
  bool AfterMessage(std::uint64_t message) const {
    if (unnumbered_chat) return true;
    if (message == 0) return !messages.empty();
    return messages.size() > (messages.contains(message) ? 1U : 0U);
  }
};

// Collects denials from the end of the log backwards. The model has been told of one if a response of it was requested
// afterwards: one of a later turn, or of another message than the refused call. Calls that are streamed while the first
// of them is refused already are of the same message.
class Collector {
 public:
  enum class Which : std::uint8_t { kUndelivered, kOfLastTurn };

  explicit Collector(Which which) : which_(which) {}

  Walk Visit(const Record& record, const EventView& event) {
    if (record.turn != turn_.value_or(record.turn) && TurnEnds()) return Walk::kEnd;
    turn_ = record.turn;
    switch (event.kind()) {
      case EventKind::kToolCallResponse:
        TakeResponse(event);
        break;
      case EventKind::kToolCallRequest:
        TakeCall(event);
        break;
      case EventKind::kChatResponse:
        if (const std::uint64_t message = MessageOf(event.metadata)) {
          spoken_.messages.insert(message);
        } else {
          spoken_.unnumbered_chat = true;
        }
        break;
      default:
        break;
    }
    return Walk::kOn;
  }

  // Oldest first.
  std::vector<DeniedCall> Take() && {
    TurnEnds();
    std::ranges::reverse(found_);
    return std::move(found_);
  }

 private:
  // What one result says was denied.
  struct Group {
    std::vector<DeniedCall> denials;  // newest first
    Spoken spoken;                    // after it
    bool delivered = false;
  };

  // At the beginning of a turn. True: nothing before it can be of interest.
  bool TurnEnds() {
    for (Group& group : groups_) {
      if (group.delivered && which_ == Which::kUndelivered) continue;
      std::ranges::move(group.denials, std::back_inserter(found_));
    }
    groups_.clear(), responses_.Clear(), by_response_.clear();
    return which_ == Which::kOfLastTurn || std::exchange(spoken_, {}).any();
  }

  void TakeResponse(const EventView& event) {
    const auto& response = std::get<ToolCallResponseView>(event.body);
    responses_.Open(response.id, ++responses_read_);
    Group group{PropagatedIn(event.metadata), spoken_, spoken_.any()};
    if (response.denied) group.denials.push_back(DenialIn(response));
    if (group.denials.empty()) return;
    by_response_.emplace(responses_read_, groups_.size());
    groups_.push_back(std::move(group));
  }

  static DeniedCall DenialIn(const ToolCallResponseView& response) {
    DeniedCall denied{
        .tool = {}, .call = std::string(response.id), .reason = {}, .arguments_hash = {}, .conversation = {}};
    if (response.denied->reason) denied.reason = std::string(*response.denied->reason);
    if (const auto& extra = response.denied->extra; !extra.empty()) {
      denied.arguments_hash = StringOf(ParseTree(extra), kArgumentsHash);
    }
    return denied;
  }

  static std::vector<DeniedCall> PropagatedIn(const JsonView& metadata) {
    std::vector<DeniedCall> found;
    if (metadata.empty()) return found;
    const JsonNode object = ParseTree(metadata);
    const JsonNode* const denials = object.Find("denials");
    if (denials == nullptr) return found;
    for (auto denial = denials->elements.rbegin(); denial != denials->elements.rend(); ++denial) {
      found.push_back({StringOf(*denial, "tool"), StringOf(*denial, "call"), OptionalString(*denial, "reason"),
                       StringOf(*denial, kArgumentsHash), OptionalString(*denial, "conversation")});
    }
    return found;
  }

  // Read backwards, a call closes the nearest later response of its id: that makes the same pairs as reading forwards.
  void TakeCall(const EventView& event) {
    const auto& call = std::get<ToolCallRequestView>(event.body);
    const std::uint64_t message = MessageOf(event.metadata);
    const auto response = responses_.Close(call.id);
    const auto group = response ? by_response_.find(*response) : by_response_.end();
    if (group != by_response_.end()) Complete(groups_[group->second], call, message);
    if (message != 0) spoken_.messages.insert(message);
    if (message == 0) spoken_.unnumbered_calls = true;
  }

  static void Complete(Group& group, const ToolCallRequestView& call, std::uint64_t message) {
    group.delivered = group.spoken.AfterMessage(message);
    for (DeniedCall& denied : group.denials) {
      if (!denied.tool.empty() || denied.call != call.id) continue;
      denied.tool = call.name;
      if (denied.arguments_hash.empty()) {
        denied.arguments_hash = ArgumentsHash(call.name, Json::FromTrusted(std::string(call.arguments.text())));
      }
    }
  }

  const Which which_;
  std::optional<Turn> turn_;       // that is being read
  std::vector<DeniedCall> found_;  // in later turns, newest first
  std::vector<Group> groups_;      // in this turn, newest first
  Spoken spoken_;                  // in this turn, so far
  OpenRequests responses_;         // whose calls have not been read yet, counted from the end of the log
  std::uint64_t responses_read_ = 0;
  std::map<std::uint64_t, std::size_t> by_response_;  // of responses_, those with denials: their indexes in groups_
};

Result<std::vector<DeniedCall>> Collect(Log& log, const ConversationId& conversation, Collector::Which which) {
  Collector collector(which);
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.from = {0}, .backward = true}));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    return Result<Walk>(collector.Visit(record, event));
  }));
  return std::move(collector).Take();
}

void AppendDenial(const DeniedCall& denial, const std::string& conversation, JsonWriter& json) {
  json.StartObject();
  json.Field("tool", denial.tool);
  json.Field("call", denial.call);
  if (denial.reason) json.Field("reason", *denial.reason);
  json.Field(kArgumentsHash, denial.arguments_hash);
  json.Field("conversation", denial.conversation.value_or(conversation));
  json.EndObject();
}

}  // namespace

Result<std::vector<DeniedCall>> UndeliveredDenials(Log& log, const ConversationId& conversation) {
  return Collect(log, conversation, Collector::Which::kUndelivered);
}

Result<std::vector<DeniedCall>> DenialsOfLastTurn(Log& log, const ConversationId& conversation) {
  return Collect(log, conversation, Collector::Which::kOfLastTurn);
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
  const std::string reason = denial.reason ? SafeLine(*denial.reason, kReasonLimit) : "";
  return fmt::format("The user denied {} (call {}){}: {}", tool, SafeLine(denial.call, kCallLimit), where,
                     reason.empty() ? "no reason was given" : reason);
}

std::string DenialContext(std::span<const DeniedCall> denials) {
  std::string lines;
  for (const DeniedCall& denial : denials) lines.append(DenialLine(denial)).append("\n");
  if (denials.empty()) return lines;
  return lines +
         "Acknowledge this in your next message, do not try the same again, and do what the user wants instead; ask if "
         "you do not know what that is.";
}

std::string RenderDeniedCall(const ToolCallRequest& call, const Denial& denial) {
  const std::string input = call.arguments.empty() ? "{}" : SafeBytes(call.arguments.text());
  std::string text =
      fmt::format("[DENIED BY USER] {} (call {})\nInput: {}", SafeLine(call.name), SafeLine(call.id), input);
  if (denial.reason) text.append("\nReason: ").append(SafeLine(*denial.reason));
  return text;
}

}  // namespace turnlog
