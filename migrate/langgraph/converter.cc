#include "migrate/langgraph/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "migrate/openai/items.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"

namespace turnlog {

RecordHead LangGraphConverter::Head(const JsonObject& record) const {
  RecordHead head;
  if (record.String("table") == "checkpoints") head.id = record.String("checkpoint_id");
  head.time = record.Object("checkpoint").Time("ts");
  return head;
}

void LangGraphConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (record.String("table") != "checkpoints") return Write(record, events);
  asked_.clear();
  Checkpoint(record, events);
}

void LangGraphConverter::Checkpoint(const JsonObject& record, RecordEvents& events) {
  NoteFork(record, events);
  current_ = {.id = record.String("checkpoint_id").value_or(""),
              .time = events.head().time,
              .begins = !record.Object("checkpoint").Object("channel_values")["__start__"].empty()};
  const std::vector<MessageList> state = channels_.Take(record);
  if (!state.empty()) Update(state, events);
}

// A fork goes on from an earlier checkpoint, after which the database has the writes of all branches: those of the
// branch that was left cannot be told from the others. A parent that has not been read is missing, and no fork.
void LangGraphConverter::NoteFork(const JsonObject& record, RecordEvents& events) {
  const auto parent = record.String("parent_checkpoint_id");
  if (!parent || current_.id.empty() || *parent >= current_.id || !channels_.AnyDelta()) return;
  has_forked_ = true;
  events.Note(
      "a fork of a thread with a DeltaChannel: the messages of all branches are shown, because the database does "
      "not say which of them are of which branch");
}

void LangGraphConverter::Update(const std::vector<MessageList>& state, RecordEvents& events) {
  if (has_forked_) {
    for (const LangMessage* message : shown_.Missing(state)) Message(*message, events);
    return;
  }
  const ShownMessages::Change change = shown_.Update(state, turns_.turns());
  for (const auto& [from, to] : change.hidden) {
    AddCompaction(from, to, R"("[These turns are not in the state any more.]")", {}, events);
    if (to + 1 == turns_.turns()) turns_.End();
  }
  for (const LangMessage* message : change.shown) Message(*message, events);
}

void LangGraphConverter::Message(const LangMessage& message, RecordEvents& events) {
  using enum LangMessage::Kind;
  bool is_shown = message.kind == kAi;
  if (message.kind == kHuman) is_shown = Human(message, events);
  if (message.kind == kAi) Ai(message, events);
  if (message.kind == kTool) is_shown = ToolResult(message, events);
  if (is_shown) return shown_.Add(message, turns_.turns() - 1, message.kind == kHuman);
  shown_.AddBeside(message);
  events.AddForeign(message.text);
}

// False: it is a message of another kind.
bool LangGraphConverter::Human(const LangMessage& message, RecordEvents& events) {
  auto text = ReadContentText(message.fields["content"]);
  if (!text) return false;
  turns_.BeforePrompt(events);
  // LangChain's middleware names itself there.
  const bool harness = !message.fields.Object("additional_kwargs").String("lc_source").value_or("").empty();
  auto author = harness ? std::optional<std::string>("harness") : std::nullopt;
  events.Add(ChatRequest{.content = std::move(text->text), .author = std::move(author), .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
  return true;
}

void LangGraphConverter::Ai(const LangMessage& message, RecordEvents& events) {
  turns_.BeforeOther(events);
  const std::string_view content = message.fields["content"];
  const std::string_view reasoning = message.fields.Object("additional_kwargs")["reasoning_content"];
  if (IsJsonString(reasoning) && reasoning != R"("")") {
    events.Add(ChatResponse{ChatPart::kReasoning, UnescapeJson(reasoning)});
    events.Reproduces(Slot::kContent, reasoning);
  }
  Summary(message.fields.Object("additional_kwargs").Object("reasoning"), events);
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
  if (type == "reasoning" && block["reasoning"].empty()) return Summary(block, events);
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

// Reasoning as OpenAI's models return it.
void LangGraphConverter::Summary(const JsonObject& reasoning, RecordEvents& events) {
  auto text = ReadContentText(reasoning["summary"]);
  if (!text || text->text.empty()) return;
  events.Add(ChatResponse{ChatPart::kReasoning, std::move(text->text)});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

// False: it is a message of another kind.
bool LangGraphConverter::ToolResult(const LangMessage& message, RecordEvents& events) {
  auto call = message.fields.String("tool_call_id");
  if (!call || message.fields["content"].empty()) return false;
  turns_.BeforeOther(events);
  ResultContent result = ReadResultContent(message.fields["content"], true);
  const bool is_error = message.fields.String("status") == "error";
  auto denied = is_error ? ReadRejection(result.content, message.fields.String("name").value_or("")) : std::nullopt;
  events.Add(ToolCallResponse{
      .id = *std::move(call), .content = std::move(result.content), .is_error = is_error, .denied = std::move(denied)});
  events.Reproduces(result.slot, result.bytes, result.known);
  return true;
}

void LangGraphConverter::Write(const JsonObject& write, RecordEvents& events) {
  const std::string channel = write.String("channel").value_or("");
  const std::string task = write.String("task_id").value_or("");
  if (channel == "__interrupt__") return Interrupts(task, write["value"], events);
  if (channel == "__error__") NoteFailure(events);
  if (channel != "__resume__") {
    asked_[task].closed |= !write["idx"].starts_with('-');
    return Written(channel, write["value"], events);
  }
  task == kNullTask ? ResumeThread(write["value"], events) : ResumeTask(task, write["value"], events);
}

// What is written to an ordinary channel is in the next checkpoint, perhaps with other ids. LangGraph has channels of
// its own for what tasks return to each other.
void LangGraphConverter::Written(const std::string& channel, std::string_view value, RecordEvents& events) {
  if (channel.starts_with("__") && channel != "__root__") return;
  auto write = ReadMessageWrite(value);
  if (channels_.IsDelta(channel) && !(write && write->is_whole) && value != "[]" && value != "null") {
    events.Note("what was written to a DeltaChannel with messages is not understood: it is kept without being shown");
  }
  if (!write) return;
  if (KindOf(channel) == ChannelKind::kWhole) return void(current_.has_unapplied = true);
  Apply(channel, *write, events);
  for (Event& event : events.events()) {  // the row has no time
    if (!std::holds_alternative<Verbatim>(event.body)) event.timestamp = current_.time;
  }
}

void LangGraphConverter::Apply(const std::string& channel, MessageWrite& write, RecordEvents& events) {
  const bool only_adds = channels_.Apply(channel, write);
  if (!only_adds) return Update(channels_.After(write), events);
  MessageList written;
  for (const LangMessage& message : write.messages) {
    if (!message.is_removal) written.push_back(&message);
  }
  for (const LangMessage* message : shown_.Missing({&written, 1})) Message(*message, events);
}

// The first checkpoint of a graph does not show how its channels are kept. While it is the only one, its messages are
// taken to be in the next one soon.
ChannelKind LangGraphConverter::KindOf(const std::string& channel) {
  if (const auto known = channels_.KindOf(channel)) return *known;
  const bool ask = later_ && !never_shown_.contains(channel);
  const auto later = ask ? later_->KindOf(current_.id, channel) : std::nullopt;
  if (ask && !later) never_shown_.insert(channel);
  const ChannelKind kind = later.value_or(current_.begins ? ChannelKind::kWhole : ChannelKind::kDelta);
  if (later || kind == ChannelKind::kDelta) channels_.SetKind(channel, kind);
  return kind;
}

// If the run goes on, what its other tasks have written is in the next checkpoint; if it begins anew, nowhere.
void LangGraphConverter::NoteFailure(RecordEvents& events) const {
  if (!current_.has_unapplied || !later_ || later_->Any(current_.id)) return;
  events.Note(
      "a run failed here: messages that its other tasks have written are no part of the state, and are kept "
      "without being shown");
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
