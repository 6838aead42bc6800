// The rules of Gemini's generateContent.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "providers/checks.h"
#include "providers/image_checks.h"
#include "providers/known_types.h"
#include "providers/sealed_value.h"
#include "providers/shared_checks.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

// Google accepts these in place of signatures, for calls that another model made.
constexpr std::array<std::string_view, 2> kNoSignature{"skip_thought_signature_validator",
                                                       "context_engineering_is_the_way_to_go"};

// Both spellings are accepted.
const JsonNode* FindEither(const JsonNode& part, std::string_view camel, std::string_view snake) {
  const JsonNode* found = part.Find(camel);
  return found != nullptr ? found : part.Find(snake);
}
const JsonNode* CallOf(const JsonNode& part) { return FindEither(part, "functionCall", "function_call"); }
const JsonNode* ResponseOf(const JsonNode& part) { return FindEither(part, "functionResponse", "function_response"); }
const JsonNode* SignatureOf(const JsonNode& part) { return FindEither(part, "thoughtSignature", "thought_signature"); }

struct Content {
  bool model = false;
  const JsonNode* node = nullptr;
  std::vector<const JsonNode*> calls, responses;  // the parts
  bool has_text = false;
};

class GeminiChecks {
 public:
  GeminiChecks(const LintedRequest& request, Findings& findings)
      : request_(request), findings_(findings), images_(request.provider, findings) {}

  void Run() {
    for (const JsonNode& node : request_.list.elements) Read(node);
    for (std::size_t i = 0; i < contents_.size(); ++i) CheckCalls(i);
    CheckSignatures();
    if (contents_.empty()) return findings_.Add(RuleId::kEmptyMessage, request_.list, "no content");
    if (contents_.back().model) findings_.Add(RuleId::kGeminiLastContent, *contents_.back().node);
    images_.Finish();
  }

 private:
  void Read(const JsonNode& node) {
    const JsonNode* role = node.Find("role");
    const std::string_view name = role != nullptr ? std::string_view(role->string) : std::string_view("user");
    if (name != "user" && name != "model" && name != "function") {
      return findings_.Add(RuleId::kShape, node, "`role` must be user or model");
    }
    Content content{.model = name == "model", .node = &node};
    const std::vector<JsonNode>& parts = ElementsOf(node.Find("parts"));
    if (parts.empty()) findings_.Add(RuleId::kEmptyMessage, node);
    for (const JsonNode& part : parts) ReadPart(part, content);
    contents_.push_back(std::move(content));
  }

  void ReadPart(const JsonNode& part, Content& content) {
    CheckType(request_.provider, part, findings_);
    const JsonNode* signature = SignatureOf(part);
    if (signature != nullptr && std::ranges::find(kNoSignature, signature->string) == kNoSignature.end()) {
      CheckSealed(*signature, false, findings_);
    }
    if (const JsonNode* text = part.Find("text"); text != nullptr) {
      content.has_text = true;
      const bool sealed = signature != nullptr;  // may come with no text
      if (!sealed && text->string.empty()) findings_.Add(RuleId::kEmptyText, part);
    } else if (const JsonNode* call = CallOf(part); call != nullptr) {
      content.calls.push_back(&part);
      CheckToolName(request_.provider, *call, "name", findings_);
      if (!content.model) findings_.Add(RuleId::kShape, part, "a call is not allowed in a content of this role");
    } else if (const JsonNode* response = ResponseOf(part); response != nullptr) {
      content.responses.push_back(&part);
      const JsonNode* body = response->Find("response");
      if (body == nullptr || !body->is(Kind::kObject)) {
        findings_.Add(RuleId::kShape, part, "`response` must be an object");
      }
    } else if (const JsonNode* data = FindEither(part, "inlineData", "inline_data"); data != nullptr) {
      CheckImage(*data);
    }
  }

  void CheckImage(const JsonNode& data) {
    const std::string_view camel = TextOf(data, "mimeType");
    const std::string_view type = camel.empty() ? TextOf(data, "mime_type") : camel;
    if (type.starts_with("image/") && RequireString(data, "data", findings_)) images_.Add(*data.Find("data"), type);
  }

  void CheckCalls(std::size_t index) {
    const Content& content = contents_[index];
    const Content* before = index > 0 ? &contents_[index - 1] : nullptr;
    if (!content.calls.empty()) {
      if (before == nullptr || before->model) findings_.Add(RuleId::kGeminiCallPosition, *content.node);
      CheckResponses(content, index + 1 < contents_.size() ? &contents_[index + 1] : nullptr);
    }
    if (!content.responses.empty() && (before == nullptr || before->calls.empty())) {
      findings_.Add(RuleId::kGeminiStrayResponse, *content.responses.front());
    }
  }

  // By position: ids may be missing, or come again.
  void CheckResponses(const Content& calls, const Content* next) {
    const std::size_t responses = next != nullptr ? next->responses.size() : 0;
    if (responses != calls.calls.size()) {
      return findings_.Add(RuleId::kGeminiMissingResponse, *calls.node,
                           fmt::format("{} calls, {} responses", calls.calls.size(), responses));
    }
    std::vector<std::string_view> names;
    for (const JsonNode* part : calls.calls) names.push_back(TextOf(*CallOf(*part), "name"));
    for (const JsonNode* part : next->responses) {
      const auto name = std::ranges::find(names, TextOf(*ResponseOf(*part), "name"));
      if (name == names.end()) {
        findings_.Add(RuleId::kGeminiResponseName, *part);
      } else {
        names.erase(name);
      }
    }
  }

  // The current turn begins with the last text of the user.
  void CheckSignatures() {
    if (request_.model.IsBefore("gemini", 3, 0)) return;
    const auto prompt = std::ranges::find_if(contents_.rbegin(), contents_.rend(),
                                             [](const Content& content) { return !content.model && content.has_text; });
    for (auto content = prompt.base(); content != contents_.end(); ++content) {
      if (content->calls.empty()) continue;
      const JsonNode* signature = SignatureOf(*content->calls.front());
      if (signature == nullptr || signature->string.empty()) {
        findings_.Add(RuleId::kGeminiThoughtSignature, *content->calls.front());
      }
    }
  }

  const LintedRequest& request_;
  Findings& findings_;
  ImageChecks images_;
  std::vector<Content> contents_;
};

}  // namespace

void CheckGemini(const LintedRequest& request, Findings& findings) { GeminiChecks(request, findings).Run(); }

}  // namespace turnlog
