#include "turnlog/providers/lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/count_lines.h"
#include "base/try.h"
#include "base/utf8.h"
#include "providers/checks.h"
#include "providers/limits.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::string_view ListName(Provider provider) {
  switch (provider) {
    case Provider::kAnthropic:
    case Provider::kOpenAiChat:
      return "messages";
    case Provider::kOpenAiResponses:
      return "input";
    case Provider::kGemini:
      return "contents";
  }
  return {};
}

std::unexpected<Error> Refuse(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

Status CheckJson(std::string_view request) {
  const auto fault = FindJsonFault(request);
  if (!fault) return {};
  const auto line = 1 + CountLines(request.substr(0, std::min(fault->byte, request.size())));
  return Refuse(fmt::format("line {}, byte {}: {}", line, fault->byte, fault->what));
}

// A text alone is allowed where items are.
Result<const JsonNode*> FindList(Provider provider, const JsonNode& body) {
  if (body.is(JsonNode::Kind::kArray)) return &body;
  const JsonNode* list = body.Find(ListName(provider));
  const bool text = provider == Provider::kOpenAiResponses && list != nullptr && list->is(JsonNode::Kind::kString);
  if (list != nullptr && (text || list->is(JsonNode::Kind::kArray))) return list;
  return Refuse(fmt::format("no list in `{}`: not a request for {}", ListName(provider), ToString(provider)));
}

std::string_view ModelOf(const JsonNode& body, const RequestLintOptions& options) {
  if (!options.model.empty()) return options.model;
  const JsonNode* model = body.Find("model");
  return model != nullptr ? std::string_view(model->string) : std::string_view();
}

void CheckList(const LintedRequest& request, Findings& findings) {
  switch (request.provider) {
    case Provider::kAnthropic:
      return CheckAnthropic(request, findings);
    case Provider::kOpenAiChat:
      return CheckOpenAiChat(request, findings);
    case Provider::kOpenAiResponses:
      return CheckOpenAiResponses(request, findings);
    case Provider::kGemini:
      return CheckGemini(request, findings);
  }
}

}  // namespace

Result<std::vector<ProviderFinding>> LintRequest(Provider provider, std::string_view text,
                                                 const RequestLintOptions& options) {
  TURNLOG_TRY(CheckJson(text));
  const JsonView json = JsonView::FromTrusted(text);
  const JsonNode body = ParseTree(json);
  const JsonNode* list = TURNLOG_TRY(FindList(provider, body));
  const LintedRequest request{provider, body, *list, ModelName(ModelOf(body, options))};
  Findings findings(text);
  const std::size_t limit = LimitsOf(provider).request_bytes;
  if (text.size() > limit) findings.Add(RuleId::kRequestSize, body, fmt::format("{} bytes", text.size()));
  CheckList(request, findings);
  return std::move(findings).Take();
}

}  // namespace turnlog
