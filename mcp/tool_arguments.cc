#include "mcp/tool_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/printable.h"
#include "base/try.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

std::unexpected<Error> Wrong(std::string_view name, std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{} {}", name, what)});
}

}  // namespace

Result<ToolArguments> ToolArguments::Parse(const Json& json) {
  ToolArguments arguments;
  if (json.empty()) return arguments;
  arguments.root_ = ParseTree(json);
  if (arguments.root_.is(Kind::kNull)) return ToolArguments();
  return arguments.root_.is(Kind::kObject) ? Result<ToolArguments>(std::move(arguments))
                                           : Wrong("arguments", "must be an object");
}

const JsonNode* ToolArguments::Take(std::string_view name) {
  taken_.emplace(name);
  const JsonNode* const found = root_.Find(name);
  return found != nullptr && found->is(Kind::kNull) ? nullptr : found;
}

Result<std::optional<std::string>> ToolArguments::Text(std::string_view name) {
  const JsonNode* const node = Take(name);
  if (node == nullptr) return std::nullopt;
  return node->is(Kind::kString) ? Result<std::optional<std::string>>(node->string) : Wrong(name, "must be a string");
}

Result<bool> ToolArguments::Flag(std::string_view name) {
  const JsonNode* const node = Take(name);
  if (node == nullptr) return false;
  return node->is(Kind::kBool) ? Result<bool>(node->is_true()) : Wrong(name, "must be true or false");
}

Result<std::uint64_t> ToolArguments::Number(std::string_view name, std::uint64_t fallback, std::uint64_t most) {
  const JsonNode* const node = Take(name);
  if (node == nullptr) return fallback;
  std::uint64_t value = 0;
  const std::string_view text = node->text;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = node->is(Kind::kNumber) && read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole ? Result<std::uint64_t>(std::min(value, most)) : Wrong(name, "must be a whole number, 0 or more");
}

Result<ConversationId> ToolArguments::Conversation() {
  const auto text = TURNLOG_TRY(Text("conversation"));
  return text ? ConversationId::Parse(*text) : Wrong("conversation", "is missing");
}

Status ToolArguments::Finish() const {
  for (const JsonNode& field : root_.fields) {
    if (!taken_.contains(field.key))
      return Wrong(Printable(field.key).substr(0, 80), "is not an argument of this tool");
  }
  return {};
}

}  // namespace turnlog
