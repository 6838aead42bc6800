// The rules of OpenAI's Responses API.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "providers/checks.h"
#include "providers/image_checks.h"
#include "providers/known_types.h"
#include "providers/shared_checks.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

std::string_view TypeOf(const JsonNode& item) {
  const std::string_view type = TextOf(item, "type");
  return type.empty() ? "message" : type;
}

// Calls that the program answers.
constexpr std::array<std::string_view, 7> kCalls{"function_call", "custom_tool_call", "local_shell_call",
                                                 "shell_call",    "apply_patch_call", "tool_search_call",
                                                 "computer_call"};

bool IsCall(const JsonNode& item) {
  if (std::ranges::find(kCalls, TypeOf(item)) == kCalls.end()) return false;
  return TypeOf(item) != "tool_search_call" || item.Find("call_id") != nullptr;  // the server answers the others
}
bool IsOutput(const JsonNode& item) { return TypeOf(item).ends_with("_output") && item.Find("call_id") != nullptr; }
bool IsReasoning(const JsonNode& item) { return TypeOf(item) == "reasoning"; }
bool IsOfModel(const JsonNode& item) {
  return TypeOf(item) == "message" ? TextOf(item, "role") == "assistant" : TypeOf(item).ends_with("_call");
}

bool IsOutputOf(std::string_view call, std::string_view output) {
  const std::string_view stem = call.substr(0, call.rfind("_call"));
  if (call == "local_shell_call" && output == "function_call_output") return true;  // what Codex sends
  return output == std::string(call) + "_output" || output == std::string(stem) + "_output";
}

class ResponsesChecks {
 public:
  ResponsesChecks(const LintedRequest& request, Findings& findings)
      : request_(request), findings_(findings), images_(request.provider, findings) {}

  void Run() {
    const std::vector<JsonNode>& items = request_.list.elements;
    if (request_.list.is(Kind::kArray) && items.empty()) findings_.Add(RuleId::kEmptyMessage, request_.list, "no item");
    for (const JsonNode& item : items) CheckItem(item);
    for (const auto& [id, call] : calls_) {
      if (!answered_.contains(id)) findings_.Add(RuleId::kResponsesMissingOutput, *call);
    }
    CheckReasoning(items);
    images_.Finish();
  }

 private:
  void CheckItem(const JsonNode& item) {
    const std::string_view id = TextOf(item, "id");
    if (!id.empty() && !ids_.insert(id).second) findings_.Add(RuleId::kResponsesDuplicateItem, item);
    CheckType(request_.provider, item, findings_);
    if (IsCall(item)) return CheckCall(item);
    if (IsOutput(item)) return CheckOutput(item);
    if (IsReasoning(item)) return CheckReasoningItem(item);
    if (TypeOf(item) == "message") return CheckMessage(item);
    if (TypeOf(item) == "item_reference" && !IsStored()) findings_.Add(RuleId::kResponsesNotStored, item);
  }

  void CheckCall(const JsonNode& item) {
    CheckCallId(request_.provider, item, "call_id", findings_);
    if (!calls_.emplace(TextOf(item, "call_id"), &item).second) findings_.Add(RuleId::kDuplicateCallId, item);
    const bool function = TypeOf(item) == "function_call";
    if (function || TypeOf(item) == "custom_tool_call") CheckToolName(request_.provider, item, "name", findings_);
    if (!function || !RequireString(item, "arguments", findings_)) return;
    const JsonNode& arguments = *item.Find("arguments");
    if (FindJsonFault(arguments.string)) findings_.Add(RuleId::kChatArguments, arguments);
  }

  void CheckOutput(const JsonNode& item) {
    const std::string_view id = TextOf(item, "call_id");
    const auto call = calls_.find(id);
    const bool first = answered_.insert(id).second;
    if (call == calls_.end() || !first) {
      if (!first || !ContinuesAnother()) findings_.Add(RuleId::kResponsesStrayOutput, item);
      return;
    }
    if (!IsOutputOf(TypeOf(*call->second), TypeOf(item))) findings_.Add(RuleId::kResponsesOutputType, item);
    for (const JsonNode& part : ElementsOf(item.Find("output"))) CheckPart(part);
  }

  void CheckMessage(const JsonNode& item) {
    constexpr std::array<std::string_view, 4> kRoles{"user", "assistant", "system", "developer"};
    if (std::ranges::find(kRoles, TextOf(item, "role")) == kRoles.end()) {
      return findings_.Add(RuleId::kShape, item, "`role` must be user, assistant, system or developer");
    }
    for (const JsonNode& part : CheckContent(item, findings_)) CheckPart(part);
  }

  void CheckPart(const JsonNode& part) {
    RequireType(request_.provider, part, findings_);
    const JsonNode* url = part.Find("image_url");
    if (url == nullptr || !url->is(Kind::kString)) return;
    url->string.starts_with("data:") ? images_.Add(*url, {}) : images_.AddReference(*url);
  }

  void CheckReasoningItem(const JsonNode& item) {
    const JsonNode* summary = item.Find("summary");
    if (summary == nullptr || !summary->is(Kind::kArray)) findings_.Add(RuleId::kResponsesSummary, item);
    if (!ElementsOf(item.Find("content")).empty()) findings_.Add(RuleId::kResponsesReasoningContent, item);
    const JsonNode* sealed = item.Find("encrypted_content");
    const bool has_content = sealed != nullptr && sealed->is(Kind::kString) && !sealed->string.empty();
    if (has_content) {
      CheckSealed(*sealed, true, findings_);
    } else if (!IsStored()) {
      findings_.Add(RuleId::kResponsesNotStored, item);
    }
  }

  // What must be next to what.
  void CheckReasoning(const std::vector<JsonNode>& items) {
    const bool reasons = request_.model.ReasonsAtOpenAi();
    bool after_reasoning = false;  // in the items of one response
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (IsReasoning(items[i])) {
        after_reasoning = true;
        const auto next =
            std::ranges::find_if_not(items.begin() + static_cast<std::ptrdiff_t>(i), items.end(), IsReasoning);
        if (next == items.end() || !IsOfModel(*next)) findings_.Add(RuleId::kResponsesReasoningAlone, items[i]);
      } else if (!IsOfModel(items[i])) {
        after_reasoning = false;
      } else if (reasons && IsCall(items[i]) && !TextOf(items[i], "id").empty() && !after_reasoning) {
        findings_.Add(RuleId::kResponsesCallWithoutReasoning, items[i]);
      }
    }
  }

  bool IsStored() const {
    const JsonNode* store = request_.body.Find("store");
    return store == nullptr || store->text != "false";
  }
  // Whether earlier items are on the server.
  bool ContinuesAnother() const {
    return !TextOf(request_.body, "previous_response_id").empty() || request_.body.Find("conversation") != nullptr;
  }

  const LintedRequest& request_;
  Findings& findings_;
  ImageChecks images_;
  std::unordered_map<std::string_view, const JsonNode*> calls_;
  std::unordered_set<std::string_view> answered_, ids_;
};

}  // namespace

void CheckOpenAiResponses(const LintedRequest& request, Findings& findings) {
  ResponsesChecks(request, findings).Run();
}

}  // namespace turnlog
