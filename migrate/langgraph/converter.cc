#include "migrate/langgraph/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "migrate/openai/items.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// The messages of all channels whose values are lists of messages.
std::vector<LangMessage> MessagesIn(const JsonObject& channels) {
  std::vector<LangMessage> messages;
  for (const auto& [name, value] : channels.fields()) {
    for (const std::string_view element : ElementsOf(value)) {
      auto message = ReadLangMessage(element);
      if (!message) break;
      messages.push_back(*std::move(message));
    }
  }
  return messages;
}

}  // namespace

RecordHead LangGraphConverter::Head(const JsonObject& record) const {
  RecordHead head;
  if (record.String("table") == "checkpoints") head.id = record.String("checkpoint_id");
  if (const auto text = record.Object("checkpoint").String("ts")) {
    if (const auto time = Timestamp::ParseRfc3339(*text)) head.time = *time;
  }
  return head;
}

void LangGraphConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (record.String("table") != "checkpoints") return Write(record, events);
  asked_.clear();
  Checkpoint(record.Object("checkpoint"), events);
}

// A turn that was hidden and is in the state again is repeated, with what follows it there: nothing shows it otherwise.
void LangGraphConverter::Checkpoint(const JsonObject& state, RecordEvents& events) {
  const std::vector<LangMessage> messages = MessagesIn(state.Object("channel_values"));
  if (messages.empty()) return;
  const auto again = std::ranges::find_if(messages, [this](const LangMessage& message) { return IsHidden(message); });
  std::set<std::string> present;
  for (auto message = messages.begin(); message != again; ++message) present.insert(message->Key());
  for (auto message = again; message != messages.end(); ++message) {
    if (!present.contains(message->Key())) seen_.erase(message->Key());
  }
  HideWhatIsGone(present, events);
  for (const LangMessage& message : messages) {
    if (seen_.insert(message.Key()).second) Message(message, events);
  }
}

void LangGraphConverter::Message(const LangMessage& message, RecordEvents& events) {
  last_prompts_.erase(message.Key());
  switch (message.kind) {
    case LangMessage::Kind::kHuman:
      return Human(message, events);
    case LangMessage::Kind::kAi:
      return Ai(message, events);
    case LangMessage::Kind::kTool:
      return ToolResult(message, events);
    case LangMessage::Kind::kOther:
      return events.AddForeign(message.text);
  }
}

void LangGraphConverter::Human(const LangMessage& message, RecordEvents& events) {
  auto text = ReadContentText(message.fields["content"]);
  if (!text) return events.AddForeign(message.text);
  turns_.BeforePrompt(events);
  prompts_.resize(turns_.turns());
  prompts_.back().key = message.Key();
  last_prompts_[prompts_.back().key] = prompts_.size() - 1;
  events.Add(ChatRequest{.content = std::move(text->text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void LangGraphConverter::Ai(const LangMessage& message, RecordEvents& events) {
  turns_.BeforeOther(events);
  const std::string_view content = message.fields["content"];
  const std::string_view reasoning = message.fields.Object("additional_kwargs")["reasoning_content"];
  if (IsJsonString(reasoning) && reasoning != R"("")") {
    events.Add(ChatResponse{ChatPart::kReasoning, UnescapeJson(reasoning)});
    events.Reproduces(Slot::kContent, reasoning);
  }
  if (IsJsonString(content) && content != R"("")") {
    events.Add(ChatResponse{ChatPart::kMessage, UnescapeJson(content)});
    events.Reproduces(Slot::kContent, content);
  }
  for (const std::string_view block : ElementsOf(content)) Block(block, events);
  for (const std::string_view text : ElementsOf(message.fields["tool_calls"])) {
    const JsonObject call = JsonObject::Parse(text).value_or(JsonObject());
    const auto id = call.String("id");
    const auto name = call.String("name");
    if (!id || !name) {
      events.AddForeign(text);
    } else {
      AddCall(*id, *name, call["args"], {}, events);
    }
  }
}

// Of the content of an answer. Its calls are among the message's tool_calls, too.
void LangGraphConverter::Block(std::string_view text, RecordEvents& events) {
  const JsonObject block = JsonObject::Parse(text).value_or(JsonObject());
  const std::string type = block.String("type").value_or("");
  const std::string_view token = type == "thinking"    ? block["thinking"]
                                 : type == "reasoning" ? block["reasoning"]
                                                       : block["text"];
  if (!IsJsonString(token)) return;
  const ChatPart part = type == "text" ? ChatPart::kMessage : ChatPart::kReasoning;
  Event& event = events.Add(ChatResponse{part, UnescapeJson(token)});
  const std::string_view signature = block["signature"];
  if (IsJsonString(signature)) event.metadata = Json::FromTrusted(fmt::format(R"({{"opaque":{}}})", signature));
  events.Reproduces(Slot::kContent, token);
  if (IsJsonString(signature)) events.Reproduces(Slot::kOpaque, signature);
}

void LangGraphConverter::ToolResult(const LangMessage& message, RecordEvents& events) {
  auto call = message.fields.String("tool_call_id");
  if (!call || message.fields["content"].empty()) return events.AddForeign(message.text);
  turns_.BeforeOther(events);
  ResultContent result = ReadResultContent(message.fields["content"], true);
  events.Add(ToolCallResponse{.id = *std::move(call),
                              .content = std::move(result.content),
                              .is_error = message.fields.String("status") == "error"});
  events.Reproduces(result.slot, result.bytes, result.known);
}

// Whether the message began a turn that is hidden.
bool LangGraphConverter::IsHidden(const LangMessage& message) const {
  const auto prompt = last_prompts_.find(message.Key());
  return prompt != last_prompts_.end() && prompts_[prompt->second].hidden;
}

// A fork, or messages that were removed: the turns whose prompts the state has no longer are hidden.
void LangGraphConverter::HideWhatIsGone(const std::set<std::string>& present, RecordEvents& events) {
  const auto is_gone = [&](const Prompt& prompt) {
    return !prompt.hidden && !prompt.key.empty() && !present.contains(prompt.key);
  };
  for (std::size_t from = 0; from < prompts_.size(); ++from) {
    if (!is_gone(prompts_[from])) continue;
    std::size_t to = from;
    for (; to < prompts_.size() && is_gone(prompts_[to]); ++to) prompts_[to].hidden = true;
    AddCompaction(from, to - 1, R"("[These turns are not in the state any more.]")", {}, events);
    if (to == turns_.turns()) turns_.End();
    from = to;
  }
}

void LangGraphConverter::Write(const JsonObject& write, RecordEvents& events) {
  const std::string channel = write.String("channel").value_or("");
  const std::string task = write.String("task_id").value_or("");
  if (channel == "__interrupt__") return Interrupts(task, write["value"], events);
  if (channel != "__resume__") return void(asked_[task].closed |= !write["idx"].starts_with('-'));
  task == kNullTask ? ResumeThread(write["value"], events) : ResumeTask(task, write["value"], events);
}

void LangGraphConverter::Interrupts(const std::string& task, std::string_view value, RecordEvents& events) {
  const auto attempt = static_cast<std::uint32_t>(tasks_->AskedBefore(task)) + 1;
  for (InquiryRequest& request : ReadInterrupts(value, task, attempt)) {
    turns_.BeforeOther(events);
    asked_[task].requests.push_back(request);
    events.Add(std::move(request));
  }
}

// With one value, for the task that uses it first: if several wait for an answer, their lists show which one did.
void LangGraphConverter::ResumeThread(std::string_view answer, RecordEvents& events) {
  Questions* waiting = nullptr;
  std::size_t open = 0;
  for (auto& [task, questions] : asked_) {
    if (questions.closed || questions.requests.empty()) continue;
    waiting = &questions;
    open += questions.requests.size();
  }
  if (open != 1) return;
  events.Add(AnswerInterrupt(waiting->requests.front(), answer));
  waiting->closed = true;
}

// With all answers to the task so far; one that is no list is for the last question. The earlier questions are in the
// log if they were imported when they were the last ones.
void LangGraphConverter::ResumeTask(const std::string& task, std::string_view value, RecordEvents& events) {
  Questions& questions = asked_[task];
  if (questions.requests.size() != 1) return;
  const std::vector<std::string_view> answers = value.starts_with('[') ? ElementsOf(value) : std::vector{value};
  const std::size_t last = tasks_->AskedBefore(task);
  for (std::size_t i = 0; i < std::min(answers.size(), last + (questions.closed ? 0 : 1)); ++i) {
    const auto asked = OfAttempt(questions.requests.front(), static_cast<std::uint32_t>(i) + 1);
    if (asked) events.Add(AnswerInterrupt(*asked, answers[i]));
  }
  questions.closed |= answers.size() > last;
}

}  // namespace turnlog
