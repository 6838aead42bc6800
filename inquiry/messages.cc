#include "turnlog/inquiry/messages.h"

#include <utility>

#include "base/try.h"
#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

using Role = PromptMessage::Role;

class Collector {
 public:
  void Apply(const EventView& event) {
    if (const auto* request = std::get_if<ChatRequestView>(&event.body)) {
      Append(Message(Role::kUser).text, request->content);
    } else if (const auto* response = std::get_if<ChatResponseView>(&event.body)) {
      PromptMessage& message = Message(Role::kModel);
      Append(response->part == ChatPart::kReasoning ? message.reasoning : message.text, response->content);
    } else if (std::holds_alternative<ToolCallRequestView>(event.body)) {
      Message(Role::kModel).calls.push_back(std::get<ToolCallRequest>(Own({.body = event.body}).body));
    } else if (std::holds_alternative<ToolCallResponseView>(event.body)) {
      Message(Role::kTools).results.push_back(std::get<ToolCallResponse>(Own({.body = event.body}).body));
    }
  }

  std::vector<PromptMessage> Take() && { return std::move(messages_); }

 private:
  PromptMessage& Message(Role role) {
    if (messages_.empty() || messages_.back().role != role) messages_.push_back({.role = role});
    return messages_.back();
  }

  static void Append(std::string& text, std::string_view more) {
    if (!text.empty() && !more.empty()) text += "\n\n";
    text += more;
  }

  std::vector<PromptMessage> messages_;
};

}  // namespace

Result<std::vector<PromptMessage>> ReadMessages(Log& log, const ConversationId& conversation,
                                                const ReadOptions& options) {
  Collector collector;
  const auto cursor = TURNLOG_TRY(log.Read(conversation, options));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record&, const EventView& event) {
    collector.Apply(event);
    return Result<Walk>(Walk::kOn);
  }));
  return std::move(collector).Take();
}

}  // namespace turnlog
