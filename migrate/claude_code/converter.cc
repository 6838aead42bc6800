#include "migrate/claude_code/converter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/coding.h"
#include "base/hash.h"
#include "migrate/anthropic/blocks.h"
#include "migrate/claude_code/denial.h"
#include "migrate/claude_code/message_author.h"
#include "migrate/claude_code/questions.h"
#include "migrate/claude_code/tool_results.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The author of messages that no person wrote.
constexpr const char* kHarness = "harness";
constexpr const char* kAssistant = "assistant";

void AddRequest(ContentText text, const char* author, RecordEvents& events) {
  ChatRequest request{.content = std::move(text.text), .author = {}, .schema = {}};
  if (author != nullptr) request.author = author;
  events.Add(std::move(request));
  events.Reproduces(Slot::kContent, text.token, text.usual);
}

bool IsApiError(const JsonObject& record) {
  return record.IsTrue("isApiErrorMessage") || record.IsTrue("is_api_error_message");
}

// The messages of `stream-json` have no mark of their own for it.
bool IsSummary(const JsonObject& record, std::string_view content) {
  constexpr std::string_view kLead = R"("This session is being continued from a previous conversation)";
  return record.IsTrue("isCompactSummary") || (record.IsTrue("isSynthetic") && content.starts_with(kLead));
}

}  // namespace

RecordHead ClaudeCodeConverter::Head(const JsonObject& record) const {
  return {.id = record.String("uuid"), .time = record.Time("timestamp")};
}

// Claude Code appends records of a session once more when it resumes or compacts it: with the branch, the version, the
// folder, ... of then, and with what a message has cost by then, but with the time at which they were written first.
// The order of their fields is that of the version.
std::uint64_t ClaudeCodeConverter::HashContents(const JsonObject& record) const {
  constexpr std::array kStay = std::to_array<std::string_view>(
      {R"("timestamp")", R"("type")", R"("subtype")", R"("content")", R"("attachment")", R"("data")"});
  if (!Head(record).time) return RecordConverter::HashContents(record);  // samples have one id for all
  std::uint64_t hash = Hash64(record.Object("message")["content"]);
  for (const auto& [name, value] : record.fields()) {
    const auto stays = std::ranges::find(kStay, name);
    if (stays != kStay.end()) hash += Hash64(value, static_cast<std::uint64_t>(stays - kStay.begin()) + 1);
  }
  return hash;
}

bool ClaudeCodeConverter::IsRecord(const JsonObject& object) const {
  const auto has = [&](std::string_view name) { return IsJsonString(object[name]); };
  return has("type") && (has("uuid") || has("sessionId") || has("leafUuid"));
}

void ClaudeCodeConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (IsCopy(record) || (IsOfSidechain(record) && !agent_)) return;
  const std::string type = record.String("type").value_or("");
  queued_.See(record);
  if (type == "user") {
    User(record, events);
  } else if (type == "assistant" && !IsApiError(record)) {
    Assistant(record.Object("message"), events);
  } else if (type == "attachment") {
    Queued(record.Object("attachment"), events);
  } else if (type == "queue-operation" && queued_.HasLeft(record)) {
    Dequeued(record, events);
  } else if (type == "system" && record.String("subtype") == "compact_boundary") {
    kept_turns_.SeeBoundary(record);
  }
}

// A record that a fork repeats has the session and the record that it was copied from.
bool ClaudeCodeConverter::IsCopy(const JsonObject& record) const {
  return !keeps_copies_ && record["forkedFrom"].starts_with('{');
}

void ClaudeCodeConverter::KeepCopies() {
  keeps_copies_ = true;
  sidechains_.KeepCopies();
}

SideRecords* ClaudeCodeConverter::Side(const JsonObject& record) {
  const bool side = IsOfSidechain(record) && !agent_ && !IsCopy(record);
  return side ? sidechains_.Find(record) : nullptr;
}

void ClaudeCodeConverter::User(const JsonObject& record, RecordEvents& events) {
  const std::string_view content = record.Object("message")["content"];
  if (IsSummary(record, content)) return Summary(content, events);
  std::vector<std::string_view> others;
  bool results = false;
  for (const std::string_view element : ElementsOf(content)) {
    const JsonObject block = JsonObject::OfValid(element);
    if (block.String("type") == "tool_result") {
      results = true;
      Result(record, block, events);
    } else {
      others.push_back(element);
    }
  }
  if (!results) return Prompt(record, content, events);
  for (const std::string_view block : others) {
    if (!AddRequestBlock(block, kHarness, events)) events.AddForeign(block);
  }
}

void ClaudeCodeConverter::Prompt(const JsonObject& record, std::string_view content, RecordEvents& events) {
  auto text = ReadContentText(content);
  if (!text) return;
  if (IsFromClaudeHarness(record, text->text)) {
    turns_.BeforeHarness(events);
    if (text->text.starts_with(kClaudeInterrupted)) Interrupted(events);
    return AddRequest(*std::move(text), kHarness, events);
  }
  const std::string uuid = record.String("uuid").value_or("");
  if (prompt_ids_.Take(ClaudePromptIds::Record::kMessage, uuid, text->text)) return;
  turns_.BeforePrompt(events);
  kept_turns_.Begin(uuid, turns_.turns() - 1);
  AddRequest(*std::move(text), IsOfSidechain(record) ? kAssistant : nullptr, events);
}

// Nobody can answer any more what was asked: if a result comes nevertheless, it says nothing of it.
void ClaudeCodeConverter::Interrupted(RecordEvents& events) {
  const auto asked_before = asked_earlier_.empty() ? std::vector<std::string>() : open_earlier_.calls();
  for (const std::string& call : asked_before) {
    if (asked_earlier_.contains(Hash64(call))) asked_.insert_or_assign(call, TakeOpen(call));
  }
  for (const auto& [call, questions] : std::exchange(asked_, {})) {
    for (const InquiryRequest& question : questions) events.Add(CancelledInquiry(question, "interrupted", true));
  }
}

void ClaudeCodeConverter::Result(const JsonObject& record, const JsonObject& block, RecordEvents& events) {
  auto read = ReadToolResult(block);
  if (!read) return events.AddForeign(block.text());
  ToolCallResponse& response = read->response;
  const ClaudeRefusal refusal = response.is_error ? ReadClaudeRefusal(record, response.content) : ClaudeRefusal();
  response.denied = refusal.denial;
  turns_.BeforeOther(events);
  const std::vector<InquiryRequest> asked = TakeOpen(response.id);
  const JsonObject result = record.Object(record["toolUseResult"].empty() ? "tool_use_result" : "toolUseResult");
  if (asked.empty() && result["answers"].starts_with('{')) {
    answered_.insert_or_assign(response.id, EarlyAnswers{std::string(result.text()), response.content});
  }
  Answers(asked, {.object = result, .text = response.content, .is_error = response.is_error, .refusal = refusal},
          events);
  Json links = Links(result, response);
  events.Add(std::move(response)).metadata = std::move(links);
  events.Reproduces(read->slot, read->bytes, read->known);
}

// The conversations that belong to a result: of the subagent that the call ran, and the whole output.
Json ClaudeCodeConverter::Links(const JsonObject& result, const ToolCallResponse& response) {
  const auto agent_id = result.String("agentId");
  const std::string sidechain = sidechains_.TakeConversation(response.id);
  const std::string agent = sidechain.empty() && agent_id ? session_ + "/agent-" + *agent_id : sidechain;
  const std::string output = ToolResultFile(result.String("persistedOutputPath").value_or(""), response.content);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (!agent.empty()) json.Field("agent", agent);
  if (!output.empty()) json.Field("output", session_ + "/" + output);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

// The outcomes of the questions that the call asked come before its result.
void ClaudeCodeConverter::Answers(const std::vector<InquiryRequest>& asked, const ClaudeAnswers& given,
                                  RecordEvents& events) {
  for (const InquiryRequest& question : asked) events.Add(ReadClaudeAnswer(question, asked, given));
}

// The questions that the call asked, which are open no longer.
std::vector<InquiryRequest> ClaudeCodeConverter::TakeOpen(const std::string& call) {
  if (auto asked = asked_.extract(call)) return std::move(asked.mapped());
  if (asked_earlier_.empty() || asked_earlier_.erase(Hash64(call)) == 0) return {};
  const auto arguments = open_earlier_.arguments(call);
  if (!arguments) return {};
  return ReadClaudeQuestions(call, JsonObject::Parse(*arguments).value_or(JsonObject()));
}

std::optional<std::string> ClaudeCodeConverter::Save() const {
  if (!sidechains_.empty()) return std::nullopt;  // to which one a record belongs depends on all before it
  if (!answered_.empty()) return std::nullopt;    // they are contents
  std::string out;
  turns_.Save(out);
  prompt_ids_.Save(out);
  queued_.Save(out);
  AppendVarint(out, asked_.size() + asked_earlier_.size());
  for (const auto& [call, questions] : asked_) AppendBig(out, Hash64(call));
  for (const std::uint64_t call : asked_earlier_) AppendBig(out, call);
  kept_turns_.Save(out);
  return out;
}

bool ClaudeCodeConverter::Restore(std::string_view state, OpenQuestions open) {
  Decoder in{state};
  turns_.Restore(in);
  prompt_ids_.Restore(in);
  queued_.Restore(in);
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) asked_earlier_.insert(in.Big());
  if (!in.bytes.empty()) kept_turns_.Restore(in);  // the first ones had none
  open_earlier_ = std::move(open);
  return in.ok && in.bytes.empty();
}

// The summary of a compaction replaces the turns so far, but for those that it keeps; what follows is a turn of its
// own.
void ClaudeCodeConverter::Summary(std::string_view content, RecordEvents& events) {
  auto text = ReadContentText(content);
  if (!text) return;
  const auto replaced = kept_turns_.TakeReplaced(turns_.turns());
  if (!replaced) {
    turns_.BeforeHarness(events);
    return AddRequest(*std::move(text), kHarness, events);
  }
  const Json summary = text->token.empty() ? JsonString(text->text) : Json::FromTrusted(std::string(text->token));
  AddCompaction(replaced->from, replaced->to, summary.text(), text->token, events);
  turns_.End();
}

// What the user typed while the agent worked; tasks in the background also put what they report there.
void ClaudeCodeConverter::Queued(const JsonObject& attachment, RecordEvents& events) {
  auto prompt = ReadContentText(attachment["prompt"]);
  if (attachment.String("type") != "queued_command" || !prompt) return;
  if (prompt_ids_.Take(ClaudePromptIds::Record::kAttachment, attachment.String("source_uuid").value_or(""),
                       prompt->text))
    return;
  if (queued_.Take(ClaudeQueuedPrompts::Record::kAttachment, prompt->text)) return;
  const bool reported = attachment.String("commandMode") == "task-notification";
  turns_.BeforeOther(events);
  const char* const author = reported || IsFromClaudeHarness(attachment, prompt->text) ? kHarness : nullptr;
  AddRequest(*std::move(prompt), author, events);
}

// The same, where it has no record of its own.
void ClaudeCodeConverter::Dequeued(const JsonObject& record, RecordEvents& events) {
  auto prompt = ReadContentText(record["content"]);
  if (!prompt || queued_.Take(ClaudeQueuedPrompts::Record::kQueue, prompt->text)) return;
  turns_.BeforeOther(events);
  const char* const author = IsFromClaudeHarness(record, prompt->text) ? kHarness : nullptr;
  AddRequest(*std::move(prompt), author, events);
}

void ClaudeCodeConverter::Assistant(const JsonObject& message, RecordEvents& events) {
  const std::string_view content = message["content"];
  const std::vector<std::string_view> blocks = ElementsOf(content);
  if (IsJsonString(content) || !blocks.empty()) turns_.BeforeOther(events);
  if (IsJsonString(content)) AddAssistantText(message, content, events);
  for (const std::string_view block : blocks) {
    AddAssistantBlock(message, block, events);
    if (const auto* call = std::get_if<ToolCallRequest>(&events.events().back().body)) sidechains_.AddCall(*call);
    Questions(events.events().back(), events);
  }
}

// If the event is a call that asks the user.
void ClaudeCodeConverter::Questions(const Event& event, RecordEvents& events) {
  const auto* request = std::get_if<ToolCallRequest>(&event.body);
  if (request == nullptr || request->name != kAskUserQuestion) return;
  const std::string call = request->id;
  const std::string arguments = request->arguments.text();  // adding events moves the request
  std::vector<InquiryRequest> questions =
      ReadClaudeQuestions(call, JsonObject::Parse(arguments).value_or(JsonObject()));
  for (const InquiryRequest& question : questions) events.Add(question);
  if (const auto early = answered_.extract(call); early && !questions.empty()) {
    const EarlyAnswers& given = early.mapped();
    const JsonObject result = JsonObject::Parse(given.result).value_or(JsonObject());
    return Answers(questions, {.object = result, .text = given.content}, events);
  }
  if (!questions.empty()) asked_.insert_or_assign(call, std::move(questions));
}

}  // namespace turnlog
