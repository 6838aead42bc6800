#include "doctor/response_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "providers/sealed_value.h"

namespace turnlog {
namespace {

// Calls that the program answers.
constexpr std::array<std::string_view, 7> kCalls{"function_call", "custom_tool_call", "local_shell_call",
                                                 "shell_call",    "apply_patch_call", "tool_search_call",
                                                 "computer_call"};

bool IsCall(const std::string& type, const JsonObject& item) {
  return std::ranges::find(kCalls, type) != kCalls.end() && IsJsonString(item["call_id"]);
}
bool IsOutput(const std::string& type, const JsonObject& item) {
  return type.ends_with("_output") && IsJsonString(item["call_id"]);
}

// Of a call: Codex answers shell calls as functions.
std::string OutputType(std::string_view call) {
  if (call == "local_shell_call") return "function_call_output";
  if (call == "tool_search_call") return "tool_search_output";
  return std::string(call) + "_output";
}

std::string InterruptedOutput(std::string_view call, std::string_view id) {
  if (call == "tool_search_call") {
    return fmt::format(
        R"({{"type":"tool_search_output","call_id":{},"status":"completed","execution":"client","tools":[]}})",
        JsonToken(id));
  }
  if (call == "shell_call") {
    return fmt::format(
        R"({{"type":"shell_call_output","call_id":{},"output":[{{"stdout":"","stderr":"{}","outcome":{{"type":"exit","exit_code":1}}}}]}})",
        JsonToken(id), kInterruptedCall);
  }
  if (call == "apply_patch_call") {
    return fmt::format(R"({{"type":"apply_patch_call_output","call_id":{},"status":"failed","output":"{}"}})",
                       JsonToken(id), kInterruptedCall);
  }
  return fmt::format(R"({{"type":"{}","call_id":{},"output":"{}"}})", OutputType(call), JsonToken(id),
                     kInterruptedCall);
}

// Edits an output that answers no call into a message.
void KeepOutputAsMessage(const SessionRecord& record, const JsonObject& item, TextEdits& edits) {
  const std::string_view output = item["output"];
  const std::uint64_t begin = record.Begin(item.text()), end = record.End(item.text());
  const std::string opening =
      fmt::format(R"({{"type":"message","role":"developer","content":[{{"type":"input_text","text":"{})", kStrayResult);
  if (IsJsonString(output)) {
    edits.Replace(begin, record.Begin(output) + 1, opening);
    edits.Replace(record.End(output), end, "}]}");
  } else if (!ElementsOf(output).empty()) {
    edits.Replace(begin, record.Begin(output) + 1, opening + "\"},");
    edits.Replace(record.End(output) - 1, end, "]}");
  } else {
    const std::string other = JsonToken(output);
    edits.Replace(begin, end, opening + other.substr(1) + "}]}");
  }
}

}  // namespace

bool ResponseItems::Take(const SessionRecord& record, const RecordPiece& piece, const JsonObject& item,
                         std::string around) {
  const std::string type = item.String("type").value_or("message");
  if (type == "reasoning") return TakeReasoning(record, piece, item);
  if (IsCall(type, item)) {
    TakeCall(record, item, type, std::move(around));
  } else if (IsOutput(type, item)) {
    TakeOutput(record, item, type);
  } else if (type == "message") {
    const auto role = item.String("role");
    if (role == "user" || role == "assistant") calls_.PassCalls();
    TakeParts(record, item["content"]);
  }
  return true;
}

bool ResponseItems::TakeReasoning(const SessionRecord& record, const RecordPiece& piece, const JsonObject& item) {
  calls_.PassCalls();
  if (!record.is_exact()) return true;
  const auto sealed = item.String("encrypted_content");
  if (sealed && !sealed->empty() && FormOf(*sealed) != SealedForm::kToken) {
    const bool broken = FormOf(*sealed) == SealedForm::kBroken;
    context_.diagnosis.Add(broken ? "opaque-altered" : "opaque-foreign", record, true);
    context_.records.Remove(piece);
    return false;
  }
  const std::string_view content = item["content"];
  if (!ElementsOf(content).empty()) {
    context_.diagnosis.Add("responses-reasoning-content", record, true);
    context_.diagnosis.edits().Replace(record.Begin(content), record.End(content), "[]");
  }
  if (item["summary"].empty()) {
    context_.diagnosis.Add("responses-summary", record, true);
    context_.diagnosis.edits().Insert(record.Begin(item.text()) + 1, R"("summary":[],)");
  }
  return true;
}

void ResponseItems::TakeCall(const SessionRecord& record, const JsonObject& item, const std::string& type,
                             std::string around) {
  const std::string id = *item.String("call_id");
  const std::string unique = calls_.AddCall(id, {record.line(), record.begin()}, next_call_, 0);
  open_.emplace(next_call_++, Call{type, std::move(around), record.end()});
  if (unique == id || !record.is_exact()) return;
  const std::string_view token = item["call_id"];
  context_.diagnosis.Add("duplicate-call-id", record, true);
  context_.diagnosis.edits().Replace(record.Begin(token), record.End(token), JsonToken(unique));
}

void ResponseItems::TakeOutput(const SessionRecord& record, const JsonObject& item, const std::string& type) {
  using Kind = CallPairs::Match::Kind;
  const std::string id = *item.String("call_id");
  const CallPairs::Match match = calls_.AddResult(id, 0);
  const std::string call = match.kind == Kind::kAnswer ? open_.at(match.record).type : std::string();
  if (match.kind == Kind::kAnswer) open_.erase(match.record);
  if (!record.is_exact()) return;
  // An output must follow its call.
  if (match.kind != Kind::kAnswer) {
    context_.diagnosis.Add("responses-stray-output", record, true);
    return KeepOutputAsMessage(record, item, context_.diagnosis.edits());
  }
  TakeParts(record, item["output"]);
  CheckType(record, item, call, type);
  if (!match.renamed) return;
  const std::string_view token = item["call_id"];
  context_.diagnosis.edits().Replace(record.Begin(token), record.End(token), JsonToken(match.id));
}

void ResponseItems::CheckType(const SessionRecord& record, const JsonObject& item, const std::string& call,
                              const std::string& output) {
  const std::string stem = call.substr(0, call.rfind("_call"));
  if (output == OutputType(call) || output == call + "_output" || output == stem + "_output") return;
  const std::string_view token = item["type"];
  context_.diagnosis.Add("responses-output-type", record, true);
  context_.diagnosis.edits().Replace(record.Begin(token), record.End(token), JsonToken(OutputType(call)));
}

void ResponseItems::TakeParts(const SessionRecord& record, std::string_view parts) {
  // Most outputs are long texts without parts, which need no search.
  if (!record.is_exact() || !parts.starts_with('[') || !parts.contains("input_image")) return;
  for (const std::string_view text : ElementsOf(parts)) {
    const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
    const std::string_view url = part["image_url"];
    if (part.String("type") == "input_image" && IsJsonString(url)) images_.Add(record, text, url, {});
  }
}

void ResponseItems::Forget() {
  calls_.Forget();
  images_.Forget();
}

std::map<std::uint64_t, std::size_t> ResponseItems::Finish() {
  std::map<std::uint64_t, std::size_t> inserted;
  for (const CallWithoutResult& open : calls_.Finish()) {
    const bool mended = context_.can_insert && (open.passed || context_.close_open);
    context_.diagnosis.Add(open.passed ? "responses-missing-output" : "open-call", open.location, mended, open.id);
    if (!mended) continue;
    const Call& call = open_.at(open.record);
    context_.records.InsertAfter(call.end, {wrap_(InterruptedOutput(call.type, open.id), call.around)});
    ++inserted[call.end];
  }
  images_.Finish();
  return inserted;
}

}  // namespace turnlog
