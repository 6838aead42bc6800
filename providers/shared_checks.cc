#include "providers/shared_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "providers/limits.h"
#include "providers/sealed_value.h"

namespace turnlog {
namespace {

bool IsWordLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '-';
}

bool IsNameOf(Provider provider, std::string_view name) {
  const bool gemini = provider == Provider::kGemini;
  if (name.empty() || name.size() > LimitsOf(provider).tool_name) return false;
  if (gemini && ((name.front() >= '0' && name.front() <= '9') || name.front() == '-')) return false;
  return std::ranges::all_of(
      name, [&](char letter) { return IsWordLetter(letter) || (gemini && (letter == '.' || letter == ':')); });
}

}  // namespace

std::string_view TextOf(const JsonNode& object, std::string_view name) {
  const JsonNode* field = object.Find(name);
  return field != nullptr && field->is(JsonNode::Kind::kString) ? std::string_view(field->string) : std::string_view();
}

const std::vector<JsonNode>& ElementsOf(const JsonNode* array) {
  static const std::vector<JsonNode> none;
  return array == nullptr ? none : array->elements;
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

bool RequireString(const JsonNode& object, std::string_view name, Findings& findings) {
  const JsonNode* field = object.Find(name);
  if (field != nullptr && field->is(JsonNode::Kind::kString)) return true;
  findings.Add(RuleId::kShape, object, fmt::format("`{}` must be a string", name));
  return false;
}

const std::vector<JsonNode>& CheckContent(const JsonNode& message, Findings& findings) {
  const JsonNode* content = message.Find("content");
  if (content == nullptr || (!content->is(JsonNode::Kind::kString) && !content->is(JsonNode::Kind::kArray))) {
    findings.Add(RuleId::kShape, message, "`content` must be a text or an array of parts");
    return ElementsOf(nullptr);
  }
  if (content->is(JsonNode::Kind::kArray) && content->elements.empty()) findings.Add(RuleId::kEmptyMessage, message);
  return ElementsOf(content);
}

void CheckToolName(Provider provider, const JsonNode& call, std::string_view field, Findings& findings) {
  if (RequireString(call, field, findings) && !IsNameOf(provider, TextOf(call, field))) {
    findings.Add(RuleId::kToolName, *call.Find(field));
  }
}

void CheckCallId(Provider provider, const JsonNode& call, std::string_view field, Findings& findings) {
  if (!RequireString(call, field, findings)) return;
  const std::string_view id = TextOf(call, field);
  const std::size_t limit = LimitsOf(provider).call_id;
  const bool letters = provider != Provider::kAnthropic || std::ranges::all_of(id, IsWordLetter);
  if (id.empty() || !letters || (limit != 0 && id.size() > limit)) {
    findings.Add(RuleId::kCallId, *call.Find(field), fmt::format("{} bytes", id.size()));
  }
}

void CheckSealed(const JsonNode& value, bool is_token, Findings& findings) {
  const SealedForm form = FormOf(value.string);
  if (form == SealedForm::kBroken) return findings.Add(RuleId::kSealedAltered, value);
  if ((form == SealedForm::kToken) != is_token) findings.Add(RuleId::kSealedForeign, value);
}

}  // namespace turnlog
