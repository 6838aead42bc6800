#include "migrate/gemini/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/coding.h"
#include "base/hash.h"
#include "migrate/openai/items.h"
#include "migrate/records/approval.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kRewind = "$rewindTo", kSet = "$set";

// A list of messages that replaces all earlier ones has what the model is sent: beside the texts, calls and results
// that are elsewhere, too.
bool IsElsewhere(const JsonObject& part) {
  return !part["functionCall"].empty() || !part["functionResponse"].empty() || part.IsTrue("thought");
}

bool IsMessage(const JsonObject& object) { return IsJsonString(object["type"]) && IsJsonString(object["id"]); }

bool IsOfModel(const JsonObject& message) {
  const auto type = message.String("type");
  return type == "gemini" || type == "model";
}

// The content of a message: a string or parts; older files have parts in a field of this name.
std::string_view ContentOf(const JsonObject& message) {
  return message["content"].empty() ? message["parts"] : message["content"];
}

// What the model was sent as the user's, and nobody said: results of calls.
bool HasOnlyResults(const JsonObject& message) {
  const std::string_view content = ContentOf(message);
  return message.String("type") == "user" && !ElementsOf(content).empty() && !ReadContentText(content, IsElsewhere);
}

}  // namespace

RecordHead GeminiConverter::Head(const JsonObject& record) const {
  RecordHead head{.id = record.String("id"), .time = {}};
  if (head.id && messages_.contains(Hash64(*head.id))) head.id.reset();  // the message has changed
  head.time = record.Time("timestamp");
  return head;
}

bool GeminiConverter::IsRecord(const JsonObject& object) const {
  return IsMessage(object) || !object[kSet].empty() || !object[kRewind].empty();
}

bool GeminiConverter::IsUnfinished(const JsonObject& record) const {
  const std::string_view content = ContentOf(record);
  const auto text = ReadContentText(content, IsElsewhere);
  const bool said = text ? !text->text.empty() : !ElementsOf(content).empty();
  return IsOfModel(record) && !said && ElementsOf(record["thoughts"]).empty() &&
         ElementsOf(record["toolCalls"]).empty();
}

void GeminiConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (!record[kRewind].empty()) return Rewind(record.String(kRewind), events);
  if (!record[kSet].empty()) return Set(record.Object(kSet), events);
  Message(record, events);
}

void GeminiConverter::Message(const JsonObject& message, RecordEvents& events) {
  const auto id = message.String("id");
  Seen unnamed{.begun = turns_.turns()};
  Seen& seen = id ? messages_.try_emplace(Hash64(*id), unnamed).first->second : unnamed;
  if (message.String("type") == "user") return User(message, seen, events);
  if (IsOfModel(message)) return Model(message, seen, events);
}

void GeminiConverter::User(const JsonObject& message, Seen& seen, RecordEvents& events) {
  const std::string_view content = ContentOf(message);
  auto text = ReadContentText(content, IsElsewhere);
  const std::uint64_t hash = text ? Hash64(text->text) : 0;
  if (!text || hash == seen.content) return;
  if (seen.prompt) {
    turns_.BeforeOther(events);
  } else {
    turns_.BeforePrompt(events);
    seen.begun = turns_.turns() - 1;
    seen.prompt = true;
  }
  seen.content = hash;
  events.Add(ChatRequest{.content = std::move(text->text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void GeminiConverter::Model(const JsonObject& message, Seen& seen, RecordEvents& events) {
  const std::vector<std::string_view> thoughts = ElementsOf(message["thoughts"]);
  for (; seen.thoughts < thoughts.size(); ++seen.thoughts) {
    BeforeOther(seen, events);
    Thought(thoughts[seen.thoughts], events);
  }
  Text(ContentOf(message), seen, events);
  Calls(message, seen, events);
}

void GeminiConverter::Thought(std::string_view text, RecordEvents& events) {
  const JsonObject thought = JsonObject::Parse(text).value_or(JsonObject());
  const auto subject = thought.String("subject").value_or("");
  const std::string_view token = thought["description"];
  if (!IsJsonString(token)) return events.AddForeign(text);
  const std::string description = UnescapeJson(token);
  events.Add(ChatResponse{ChatPart::kReasoning, subject.empty() ? description : subject + "\n" + description});
  events.Reproduces(Slot::kContent, token);
}

void GeminiConverter::Text(std::string_view content, Seen& seen, RecordEvents& events) {
  auto text = ReadContentText(content, IsElsewhere);
  if (!text || text->text.empty()) return;
  const std::uint64_t hash = Hash64(text->text);
  if (hash == seen.content) return;
  BeforeOther(seen, events);
  seen.content = hash;
  events.Add(ChatResponse{ChatPart::kMessage, std::move(text->text)});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

std::string GeminiConverter::IdOfCall(const JsonObject& message, std::size_t number) {
  const auto id = message.String("id");
  return id ? fmt::format("{}.{}", *id, number) : fmt::format("call.{}", unnamed_calls_++);
}

// The results follow all calls of a message.
void GeminiConverter::Calls(const JsonObject& message, Seen& seen, RecordEvents& events) {
  std::vector<std::pair<std::size_t, GeminiCall>> results;
  std::size_t number = 0;
  for (const std::string_view text : ElementsOf(message["toolCalls"])) {
    auto call = ReadGeminiCall(JsonObject::Parse(text).value_or(JsonObject()));
    const bool is_new = number == seen.calls.size();
    if (is_new) {
      BeforeOther(seen, events);
      seen.calls.push_back(call ? CallProgress::kCalled : CallProgress::kDone);
    }
    if (call && call->id.empty()) call->id = IdOfCall(message, number);
    if (is_new && !call) events.AddForeign(text);
    if (is_new && call) Call(*call, seen.calls[number], events);
    if (call && seen.calls[number] != CallProgress::kDone) results.emplace_back(number, *std::move(call));
    ++number;
  }
  for (const auto& [index, call] : results) Result(call, seen.calls[index], events);
}

void GeminiConverter::Call(const GeminiCall& call, CallProgress& progress, RecordEvents& events) {
  Json metadata;
  if (!call.signature.empty()) metadata = Json::FromTrusted(fmt::format(R"({{"opaque":{}}})", call.signature));
  AddCall(call.id, call.name, call.arguments, std::move(metadata), events);
  events.Reproduces(Slot::kOpaque, call.signature);
  for (InquiryRequest& question : ReadGeminiQuestions(call)) events.Add(std::move(question));
  progress = CallProgress::kCalled;
}

void GeminiConverter::Result(const GeminiCall& call, CallProgress& progress, RecordEvents& events) {
  const auto approval = AskForApproval(call.id, call.name);
  const bool awaits = progress == CallProgress::kCalled && approval;
  if (awaits && (call.state == GeminiCall::State::kAsked || (asked_ && asked_(approval->id.text)))) {
    events.Add(*approval);
    progress = CallProgress::kAsked;
  }
  if (call.state == GeminiCall::State::kRunning && progress == CallProgress::kAsked && approval) {
    turns_.BeforeOther(events);
    events.Add(ApprovalAnswer(*approval, true, std::nullopt));
    progress = CallProgress::kApproved;
  }
  if (!call.HasResult()) return;
  GeminiResult result = ReadGeminiResult(call);
  turns_.BeforeOther(events);
  if (progress == CallProgress::kAsked && approval) events.Add(ReadGeminiApproval(*approval, call, result));
  std::size_t number = 0;
  for (const InquiryRequest& asked : ReadGeminiQuestions(call)) {
    events.Add(ReadGeminiAnswer(asked, number++, result));
  }
  events.Add(std::move(result.response));
  events.Reproduces(result.token.empty() ? Slot::kJson : Slot::kContent,
                    result.token.empty() ? call.result : result.token);
  progress = CallProgress::kDone;
}

// A list of messages replaces all earlier ones: those that it repeats stay, and add what is new in them.
void GeminiConverter::Set(const JsonObject& changes, RecordEvents& events) {
  if (!changes["messages"].starts_with('[')) return;
  const std::vector<std::string_view> messages = ElementsOf(changes["messages"]);
  std::vector<JsonObject> listed, said;
  for (const std::string_view text : messages) {
    JsonObject message = JsonObject::Parse(text).value_or(JsonObject());
    if (!IsMessage(message)) continue;
    if (!HasOnlyResults(message)) said.push_back(message);
    listed.push_back(std::move(message));
  }
  if (listed.empty() && turns_.turns() > 0) {
    return Hide(0, turns_.turns() - 1, R"("[All messages were removed.]")", events);
  }
  HideAbsent(said, events);
  for (const JsonObject& message : listed) Message(message, events);
}

// Turns are hidden as a whole. So all of them are, and the listed messages come once more, if one that stays follows
// one that is new, or shares its turn with one that goes.
void GeminiConverter::HideAbsent(const std::vector<JsonObject>& messages, RecordEvents& events) {
  constexpr std::string_view kReplaced = R"("[Messages were replaced.]")";
  std::set<std::uint64_t> stay, turns;
  bool any_new = false, in_order = true;
  for (const JsonObject& message : messages) {
    const std::uint64_t id = Hash64(message.String("id").value_or(""));
    const auto known = messages_.find(id);
    const bool stays = known != messages_.end() && known->second.any();
    in_order &= !stays || (!any_new && (turns.empty() || *turns.rbegin() <= known->second.turn()));
    any_new |= !stays;
    if (stays) stay.insert(id), turns.insert(known->second.turn());
  }
  std::set<std::uint64_t> gone;
  for (const auto& [id, seen] : messages_) {
    if (seen.any() && !stay.contains(id)) gone.insert(seen.turn());
  }
  if (gone.empty() && in_order) return;
  const auto is_shared = [&](std::uint64_t turn) { return turns.contains(turn); };
  if (!in_order || std::ranges::any_of(gone, is_shared)) {
    return Hide(0, turns_.turns() - 1, kReplaced, events);
  }
  for (auto turn = gone.begin(); turn != gone.end();) {
    const std::uint64_t from = *turn;
    std::uint64_t to = from;
    while (++turn != gone.end() && *turn == to + 1) ++to;
    Hide(from, to, kReplaced, events);
  }
}

// Removes the message and all that follow it. A turn is hidden as a whole or not at all.
void GeminiConverter::Rewind(const std::optional<std::string>& id, RecordEvents& events) {
  const auto found = id ? messages_.find(Hash64(*id)) : messages_.end();
  const std::uint64_t from = found == messages_.end() ? 0 : found->second.begun;
  if (from < turns_.turns()) Hide(from, turns_.turns() - 1, R"("[The user rewound the conversation.]")", events);
}

// REQUIRES: there are these turns.
void GeminiConverter::Hide(std::uint64_t from_turn, std::uint64_t to_turn, std::string_view why, RecordEvents& events) {
  AddCompaction(from_turn, to_turn, why, {}, events);
  turns_.End();
  for (auto& [id, seen] : messages_) {
    const std::uint64_t turn = seen.prompt ? seen.begun : seen.begun - std::min<std::uint64_t>(seen.begun, 1);
    if (turn >= from_turn && turn <= to_turn) seen = {};
  }
}

void GeminiConverter::BeforeOther(Seen& seen, RecordEvents& events) {
  const bool first = seen.content == 0 && seen.thoughts == 0 && seen.calls.empty();
  turns_.BeforeOther(events);
  if (first) seen.begun = turns_.turns();
}

// A message may change as long as the session lasts: what was taken of each is part of the state.
std::optional<std::string> GeminiConverter::Save() const {
  constexpr std::size_t kMaxMessages = 10'000;
  if (messages_.size() > kMaxMessages) return std::nullopt;
  std::string out;
  turns_.Save(out);
  AppendVarint(out, unnamed_calls_);
  AppendVarint(out, messages_.size());
  for (const auto& [id, seen] : messages_) {
    AppendBig(out, id);
    AppendVarint(out, seen.begun);
    AppendVarint(out, seen.prompt ? 1 : 0);
    AppendBig(out, seen.content);
    AppendVarint(out, seen.thoughts);
    AppendVarint(out, seen.calls.size());
    for (const CallProgress call : seen.calls) AppendVarint(out, static_cast<std::uint64_t>(call));
  }
  return out;
}

bool GeminiConverter::Restore(std::string_view state, OpenQuestions /*open*/) {
  Decoder in{state};
  turns_.Restore(in);
  unnamed_calls_ = in.Varint();
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    Seen& seen = messages_[in.Big()];
    seen.begun = in.Varint();
    seen.prompt = in.Varint() > 0;
    seen.content = in.Big();
    seen.thoughts = in.Varint();
    for (std::uint64_t calls = in.Varint(); calls > 0 && in.ok; --calls) {
      const std::uint64_t progress = in.Varint();
      in.ok &= progress <= static_cast<std::uint64_t>(CallProgress::kApproved);
      if (in.ok) seen.calls.push_back(static_cast<CallProgress>(progress));
    }
  }
  return in.ok && in.bytes.empty();
}

}  // namespace turnlog
