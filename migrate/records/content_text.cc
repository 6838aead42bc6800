#include "migrate/records/content_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "schema/json/json_scan.h"
#include "schema/json/json_string.h"

namespace turnlog {
namespace {

// The string token of a part that is text, or with which OpenAI's models refuse; empty if it is something else.
std::string_view TextToken(std::string_view part, std::string& type) {
  if (IsJsonString(part)) return part;
  const JsonObject object = JsonObject::OfValid(part);
  type = object.String("type").value_or("part");
  if (type == "refusal") return IsJsonString(object["refusal"]) ? object["refusal"] : std::string_view();
  const bool is_text = type.ends_with("text") || type == "Text" || object["type"].empty();
  return is_text && IsJsonString(object["text"]) ? object["text"] : std::string_view();
}

ContentText ReadText(std::string_view token) {
  UnescapedJson read = ReadJsonString(token);
  return {std::move(read.text), token, read.usual};
}

}  // namespace

std::optional<ContentText> ReadContentText(std::string_view json, bool (*is_left_out)(const JsonObject&)) {
  if (IsJsonString(json)) return ReadText(json);
  if (!json.starts_with('[')) return std::nullopt;
  std::vector<std::string_view> parts = ElementsOf(json);
  const bool empty = parts.empty();
  if (is_left_out != nullptr) {
    std::erase_if(parts, [&](std::string_view part) { return is_left_out(JsonObject::OfValid(part)); });
  }
  if (parts.empty() && !empty) return std::nullopt;
  ContentText content;
  for (const std::string_view part : parts) {
    std::string type;
    const std::string_view token = TextToken(part, type);
    if (parts.size() == 1 && !token.empty()) return ReadText(token);
    if (!content.text.empty()) content.text.push_back('\n');
    content.text += token.empty() ? fmt::format("[{}]", type) : UnescapeJson(token);
  }
  return content;
}

ResultContent ReadResultContent(std::string_view json, bool may_be_text) {
  auto text = may_be_text ? ReadContentText(json) : std::nullopt;
  if (!text) return {std::string(json), Slot::kJson, json, true};
  return {std::move(text->text), Slot::kContent, text->token, text->usual};
}

}  // namespace turnlog
