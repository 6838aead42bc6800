// The rules of OpenAI's Chat Completions API, which many other servers have, too.
#include <algorithm>
#include <array>
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
constexpr std::array<std::string_view, 6> kRoles{"system", "developer", "user", "assistant", "tool", "function"};

bool HasText(const JsonNode* content) {
  if (content == nullptr || content->is(Kind::kNull)) return false;
  return content->is(Kind::kString) ? !content->string.empty() : !content->elements.empty();
}

class ChatChecks {
 public:
  ChatChecks(const LintedRequest& request, Findings& findings)
      : request_(request), findings_(findings), images_(request.provider, findings) {}

  void Run() {
    if (request_.list.elements.empty()) findings_.Add(RuleId::kEmptyMessage, request_.list, "no message");
    for (const JsonNode& message : request_.list.elements) CheckMessage(message);
    CloseCalls();
    images_.Finish();
  }

 private:
  void CheckMessage(const JsonNode& message) {
    const std::string_view role = TextOf(message, "role");
    if (std::ranges::find(kRoles, role) == kRoles.end()) {
      return findings_.Add(RuleId::kShape, message, "`role` must be system, developer, user, assistant or tool");
    }
    if (role == "tool") return CheckResult(message);
    CloseCalls();
    if (role == "assistant") return CheckAssistant(message);
    for (const JsonNode& part : CheckContent(message, findings_)) CheckPart(part);
  }

  void CheckPart(const JsonNode& part) {
    RequireType(request_.provider, part, findings_);
    const JsonNode* image = part.Find("image_url");
    if (image == nullptr || !RequireString(*image, "url", findings_)) return;
    const JsonNode& url = *image->Find("url");
    url.string.starts_with("data:") ? images_.Add(url, {}) : images_.AddReference(url);
  }

  void CheckAssistant(const JsonNode& message) {
    const JsonNode* calls = message.Find("tool_calls");
    const bool has_calls = calls != nullptr && calls->is(Kind::kArray);
    if (has_calls && calls->elements.empty()) findings_.Add(RuleId::kChatEmptyCalls, *calls);
    const bool other = message.Find("refusal") != nullptr || message.Find("audio") != nullptr ||
                       message.Find("function_call") != nullptr;
    if (!has_calls && !other && !HasText(message.Find("content"))) findings_.Add(RuleId::kEmptyMessage, message);
    for (const JsonNode& part : ElementsOf(message.Find("content"))) CheckPart(part);
    for (const JsonNode& call : ElementsOf(calls)) CheckCall(call);
  }

  void CheckCall(const JsonNode& call) {
    CheckCallId(request_.provider, call, "id", findings_);
    const std::string_view id = TextOf(call, "id");
    if (!open_.emplace(id, &call).second) findings_.Add(RuleId::kDuplicateCallId, call);
    const JsonNode* custom = call.Find("custom");
    const JsonNode* function = custom != nullptr ? custom : call.Find("function");
    if (function == nullptr) return findings_.Add(RuleId::kShape, call, "`function` must be an object");
    CheckToolName(request_.provider, *function, "name", findings_);
    if (custom != nullptr || !RequireString(*function, "arguments", findings_)) return;
    const JsonNode& arguments = *function->Find("arguments");
    if (FindJsonFault(arguments.string)) findings_.Add(RuleId::kChatArguments, arguments);
  }

  void CheckResult(const JsonNode& message) {
    if (!RequireString(message, "tool_call_id", findings_)) return;
    if (open_.erase(TextOf(message, "tool_call_id")) == 0) findings_.Add(RuleId::kChatStrayResult, message);
    const JsonNode* content = message.Find("content");
    if (content == nullptr) findings_.Add(RuleId::kShape, message, "`content` must be there");
    for (const JsonNode& part : ElementsOf(content)) CheckPart(part);
  }

  // Any message but a result ends the time for results.
  void CloseCalls() {
    for (const auto& [id, call] : open_) findings_.Add(RuleId::kChatMissingResult, *call);
    open_.clear();
  }

  const LintedRequest& request_;
  Findings& findings_;
  ImageChecks images_;
  std::unordered_map<std::string_view, const JsonNode*> open_;
};

}  // namespace

void CheckOpenAiChat(const LintedRequest& request, Findings& findings) { ChatChecks(request, findings).Run(); }

}  // namespace turnlog
