#include "migrate/codex/converter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/coding.h"
#include "migrate/codex/denial.h"
#include "migrate/codex/injected_text.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr const char* kHarness = "harness";
constexpr const char* kAssistant = "assistant";

// What the user typed: extensions of editors put it after a context of their own.
std::string_view Typed(std::string_view prompt) {
  constexpr std::string_view kHeading = "\n## My request for Codex:";
  const std::size_t heading = prompt.find(kHeading);
  const bool with_context = prompt.starts_with("# Context from my IDE setup:") && heading != std::string_view::npos;
  return TrimJsonSpace(with_context ? prompt.substr(heading + kHeading.size()) : prompt);
}

// The text of a message without what stands for images, which its event does not have.
std::string TextOf(std::string_view content) {
  if (IsJsonString(content)) return UnescapeJson(content);
  std::string text;
  for (const std::string_view part : ElementsOf(content)) {
    const JsonObject object = JsonObject::OfValid(part);
    const std::string token = object.String("text").value_or("");
    if (token.empty() || token.starts_with("<image ") || token == "</image>") continue;
    text.append(text.empty() ? "" : "\n").append(token);
  }
  return text;
}

// Of a message of the model that may have a plan in it, which is also a completed item of its own.
struct PlannedText {
  std::string said, plan;
};

PlannedText SplitPlan(std::string_view text) {
  constexpr std::string_view kOpen = "<proposed_plan>", kClose = "</proposed_plan>";
  const std::size_t begin = text.find(kOpen), end = text.find(kClose);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return {std::string(TrimJsonSpace(text)), {}};
  }
  const std::string around = std::string(text.substr(0, begin)).append(text.substr(end + kClose.size()));
  const std::size_t within = begin + kOpen.size();
  return {std::string(TrimJsonSpace(around)), std::string(TrimJsonSpace(text.substr(within, end - within)))};
}

// The item of a record: its payload, or in the files of 2025 the record itself.
JsonObject PayloadOf(const JsonObject& record) { return record["payload"].empty() ? record : record.Object("payload"); }

}  // namespace

RecordHead CodexConverter::Head(const JsonObject& record) const { return {.id = {}, .time = record.Time("timestamp")}; }

bool CodexConverter::IsRecord(const JsonObject& object) const {
  return IsJsonString(object["timestamp"]) && IsJsonString(object["type"]) && object["payload"].starts_with('{');
}

void CodexConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string type = record.String("type").value_or("");
  const JsonObject payload = PayloadOf(record);
  const bool copied = copied_.Take(record, payload, events.head().time);
  if (type == "session_meta") paginated_ |= payload.String("history_mode") == "paginated";
  if (copied || type == "session_meta") return;
  const bool bare = record["payload"].empty() && record["record_type"].empty();
  if (type == "event_msg") {
    EventMessage(payload, events);
  } else if (type == "response_item" || bare) {
    Item(payload, events);
  } else if (type == "compacted") {
    Compacted(payload, events);
  } else if (type == "inter_agent_communication") {
    OtherAgent(payload, events);
  }
}

void CodexConverter::EventMessage(const JsonObject& payload, RecordEvents& events) {
  const std::string type = payload.String("type").value_or("");
  if (type == "thread_rolled_back") return RolledBack(payload, events);
  if (type == "turn_aborted") return Aborted(events);
  if (type == "item_completed") return Completed(payload.Object("item"), events);
  // Other sessions have an item for each message of the model, mostly after the event.
  const bool is_answer = type == "agent_message" && paginated_;
  if ((type != "user_message" && !is_answer) || !IsJsonString(payload["message"])) return;
  ContentText text = *ReadContentText(payload["message"]);
  if (is_answer) return Answer(TextRecord::kEvent, payload, std::move(text), events);
  const std::string typed = text.text;
  Prompt(TextRecord::kEvent, typed, std::move(text), events);
}

// Sessions with the history mode "paginated" have texts only here, or here and in items.
void CodexConverter::Completed(const JsonObject& item, RecordEvents& events) {
  const std::string type = item.String("type").value_or("");
  auto text = ReadContentText(type == "Plan" ? item["text"] : item["content"]);
  if (!text) return;
  if (type == "UserMessage") return Prompt(TextRecord::kCompleted, TextOf(item["content"]), *std::move(text), events);
  if (type == "AgentMessage" || type == "Plan") Answer(TextRecord::kCompleted, item, *std::move(text), events);
}

void CodexConverter::Item(const JsonObject& item, RecordEvents& events) {
  if (auto output = ReadItemOutput(item)) {
    const std::vector<CodexQuestion> asked = asked_.Take(output->response.id);
    const bool secret = !item["output"].empty() && std::ranges::any_of(asked, &CodexQuestion::is_secret);
    if (secret) output = RedactedOutput(asked, item, events);
    return Output(asked, *std::move(output), events);
  }
  if (item.String("type") == "agent_message") return OtherAgent(item, events);
  if (IsUserItem(item)) return Message(item, events);
  if (!IsModelItem(item)) return;
  if (IsModelMessage(item)) return Answer(TextRecord::kItem, item, *ReadContentText(item["content"]), events);
  turns_.BeforeOther(events);
  AddModelItem(item, events);
  Questions(events.events().back(), events);
}

void CodexConverter::Message(const JsonObject& item, RecordEvents& events) {
  auto text = ReadContentText(item["content"]);
  if (!text) return;
  if (IsInjectedItem(item)) {
    turns_.BeforeHarness(events);
    events.Add(ChatRequest{.content = std::move(text->text), .author = kHarness, .schema = {}});
    return events.Reproduces(Slot::kContent, text->token, text->usual);
  }
  Prompt(TextRecord::kItem, TextOf(item["content"]), *std::move(text), events);
}

// What another agent has sent: the task of this one, or what became of one that this one has given. May be encrypted in
// part.
void CodexConverter::OtherAgent(const JsonObject& message, RecordEvents& events) {
  auto text = ReadContentText(message["content"]);
  if (!text || (text->token.empty() && TextOf(message["content"]).empty())) return;
  turns_.BeforeHarness(events);
  events.Add(ChatRequest{.content = std::move(text->text), .author = kAssistant, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

// `typed`: the text without what stands for images.
void CodexConverter::Prompt(TextRecord record, std::string_view typed, ContentText text, RecordEvents& events) {
  if (prompts_.Take(record, Typed(typed))) return;
  turns_.BeforePrompt(events);
  live_turns_.push_back(turns_.turns() - 1);
  events.Add(ChatRequest{.content = std::move(text.text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text.token);
}

// A plan and what is said beside it may be known from records of their own.
void CodexConverter::Answer(TextRecord record, const JsonObject& item, ContentText text, RecordEvents& events) {
  const PlannedText parts = SplitPlan(text.text);
  const bool plan_known = !parts.plan.empty() && answers_.Take(record, parts.plan);
  const bool said_known = !parts.said.empty() && answers_.Take(record, parts.said);
  const bool said_more = !said_known && !parts.said.empty();
  const bool planned_more = !plan_known && !parts.plan.empty();
  if ((said_known || plan_known) && !said_more && !planned_more) return;
  if (plan_known) text = {.text = parts.said};
  if (said_known) text = {.text = parts.plan};
  turns_.BeforeOther(events);
  AddModelMessage(item, std::move(text), events);
}

// What follows the event of an item: the questions that a call asks.
void CodexConverter::Questions(const Event& event, RecordEvents& events) {
  const auto* request = std::get_if<ToolCallRequest>(&event.body);
  if (request == nullptr || request->name != kRequestUserInput) return;
  const std::string call = request->id;
  const std::string arguments = request->arguments.text();  // adding events moves the request
  std::vector<CodexQuestion> asked = ReadCodexQuestions(call, JsonObject::Parse(arguments).value_or(JsonObject()));
  for (const CodexQuestion& question : asked) events.Add(question.request);
  asked_.Add(call, std::move(asked), turns_.turns());
}

// The record with a redacted output takes the place of the source's.
ItemOutput CodexConverter::RedactedOutput(const std::vector<CodexQuestion>& asked, const JsonObject& item,
                                          RecordEvents& events) {
  const std::string_view output = item["output"], record = events.record();
  CodexSecrets secrets = RemoveSecretAnswers(asked, IsJsonString(output) ? UnescapeJson(output) : std::string(output));
  const auto begin = static_cast<std::size_t>(output.data() - record.data());
  std::string redacted(record);
  redacted.replace(begin, output.size(), JsonString(secrets.output).text());
  events.Redact(std::move(redacted), std::move(secrets.answers));
  const auto result = ReadItemOutput(PayloadOf(JsonObject::OfValid(events.record())));
  return result.value();  // only its text has changed
}

void CodexConverter::Output(const std::vector<CodexQuestion>& asked, ItemOutput output, RecordEvents& events) {
  ToolCallResponse& response = output.response;
  response.denied = ReadCodexDenial(response.content);
  response.is_error |= response.denied.has_value() || response.content.starts_with("aborted by user");
  turns_.BeforeOther(events);
  for (const CodexQuestion& question : asked) {
    if (!question.aborted) events.Add(ReadCodexAnswer(question, response.content));
  }
  events.Add(std::move(response)).metadata = std::move(output.metadata);
  events.Reproduces(output.slot, output.bytes, output.known);
}

// The summary may be empty: then it is encrypted, in the record.
void CodexConverter::Compacted(const JsonObject& payload, RecordEvents& events) {
  if (turns_.turns() == 0 || !IsJsonString(payload["message"])) return;
  AddCompaction(0, turns_.turns() - 1, payload["message"], payload["message"], events);
  turns_.End();
}

// The user took back the last turns: the model does not see them any more.
void CodexConverter::RolledBack(const JsonObject& payload, RecordEvents& events) {
  std::uint64_t count = 0;
  const std::string_view number = payload["num_turns"];
  std::from_chars(number.data(), number.data() + number.size(), count);
  count = std::min<std::uint64_t>(count, live_turns_.size());
  if (count == 0) return;
  const std::uint64_t from = live_turns_[live_turns_.size() - count];
  live_turns_.resize(live_turns_.size() - count);
  AddCompaction(from, turns_.turns() - 1, R"("[The user rolled these turns back.]")", {}, events);
  turns_.End();
}

// Codex forgets what an aborted turn has asked, and records nothing else about it.
void CodexConverter::Aborted(RecordEvents& events) {
  const std::vector<InquiryRequest> open = asked_.Abort(turns_.turns());
  if (!open.empty()) turns_.BeforeOther(events);
  for (const InquiryRequest& question : open) events.Add(CancelledInquiry(question, "interrupted", false));
}

std::optional<std::string> CodexConverter::Save() const {
  if (asked_.has_asked_secrets()) return std::nullopt;  // an answer is looked for in all that the file has
  std::string out;
  turns_.Save(out);
  copied_.Save(out);
  prompts_.Save(out);
  answers_.Save(out);
  AppendVarint(out, paginated_ ? 1 : 0);
  asked_.Save(out);
  AppendVarint(out, live_turns_.size());
  std::uint64_t next = 0;
  for (const std::uint64_t turn : live_turns_) {
    AppendVarint(out, turn - next);  // mostly 0
    next = turn + 1;
  }
  return out;
}

bool CodexConverter::Restore(std::string_view state, OpenQuestions open) {
  Decoder in{state};
  turns_.Restore(in);
  copied_.Restore(in);
  prompts_.Restore(in);
  answers_.Restore(in);
  paginated_ = in.Varint() > 0;
  asked_.Restore(in, std::move(open));
  std::uint64_t next = 0;
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    live_turns_.push_back(next + in.Varint());
    next = live_turns_.back() + 1;
  }
  return in.ok && in.bytes.empty();
}

}  // namespace turnlog
