#include "migrate/langgraph/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Kind = LangMessage::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 10> kKinds{{{"HumanMessage", Kind::kHuman},
                                                                    {"HumanMessageChunk", Kind::kHuman},
                                                                    {"human", Kind::kHuman},
                                                                    {"user", Kind::kHuman},
                                                                    {"AIMessage", Kind::kAi},
                                                                    {"AIMessageChunk", Kind::kAi},
                                                                    {"ai", Kind::kAi},
                                                                    {"assistant", Kind::kAi},
                                                                    {"ToolMessage", Kind::kTool},
                                                                    {"tool", Kind::kTool}}};

struct PythonObject {
  std::string name;
  JsonObject fields;
};

std::string TextOf(std::string_view json) { return IsJsonString(json) ? UnescapeJson(json) : std::string(); }

// {"$ext":5,"value":[module, class, fields, ...]}, or {"lc":2,"id":[..., class],"kwargs":{...}}.
std::optional<PythonObject> ReadObject(std::string_view value) {
  const auto object = JsonObject::Parse(value);
  if (!object) return std::nullopt;
  const std::vector<std::string_view> parts = ElementsOf((*object)["value"]);
  if (!(*object)["$ext"].empty() && parts.size() >= 3) {
    return PythonObject{TextOf(parts[1]), JsonObject::Parse(parts[2]).value_or(JsonObject())};
  }
  const std::vector<std::string_view> path = ElementsOf((*object)["id"]);
  if (!(*object)["lc"].empty() && !path.empty()) return PythonObject{TextOf(path.back()), object->Object("kwargs")};
  return std::nullopt;
}

std::optional<Kind> KindOf(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &std::pair<std::string_view, Kind>::first);
  if (found != kKinds.end()) return found->second;
  const bool other = name.ends_with("Message") || name == "system" || name == "remove";
  return other ? std::optional(Kind::kOther) : std::nullopt;
}

std::uint64_t HashShown(Kind kind, const JsonObject& fields) {
  std::uint64_t hash = Hash64(fields["content"], static_cast<std::uint64_t>(kind));
  for (const std::string_view shown :
       {fields.Object("additional_kwargs")["reasoning_content"], fields["tool_calls"], fields["tool_call_id"]}) {
    hash = Hash64(shown, hash);
  }
  return Hash64(fields["status"] == R"("error")" ? "error" : "", hash);
}

LangMessage MakeMessage(Kind kind, bool is_removal, JsonObject fields, std::string_view text) {
  const auto id = fields.String("id");
  std::string key = id && !id->empty() ? *id : fmt::format("#{:016x}", Hash64(text));
  const std::uint64_t contents = HashShown(kind, fields);
  return {.kind = kind,
          .is_removal = is_removal,
          .fields = std::move(fields),
          .text = text,
          .key = std::move(key),
          .contents = contents};
}

}  // namespace

LangMessage LangMessage::Keep() const {
  auto text_of_its_own = std::make_shared<const std::string>(text);
  LangMessage kept = *ReadLangMessage(std::string_view(*text_of_its_own));
  kept.key = key;
  kept.own = std::move(text_of_its_own);
  return kept;
}

std::optional<LangMessage> ReadLangMessage(std::string_view value) {
  if (auto object = ReadObject(value)) {
    const auto kind = KindOf(object->name);
    if (!kind) return std::nullopt;
    return MakeMessage(*kind, object->name == "RemoveMessage", std::move(object->fields), value);
  }
  auto plain = JsonObject::Parse(value);
  if (!plain || (*plain)["content"].empty()) return std::nullopt;
  const std::string name = plain->String("role").value_or(plain->String("type").value_or(""));
  const auto kind = KindOf(name);
  if (!kind) return std::nullopt;
  return MakeMessage(*kind, name == "remove", *std::move(plain), value);
}

std::vector<LangMessage> ReadLangMessages(std::string_view list) {
  std::vector<LangMessage> messages;
  std::unordered_map<std::string, std::size_t> equal;
  for (const std::string_view element : ElementsOf(list)) {
    auto message = ReadLangMessage(element);
    if (!message) break;
    if (!message->has_id()) message->key = NumberedKey(message->key, equal[message->key]++);
    messages.push_back(*std::move(message));
  }
  return messages;
}

std::string NumberedKey(const std::string& key, std::size_t equal) {
  return equal == 0 ? key : fmt::format("{}.{}", key, equal + 1);
}

std::optional<JsonObject> ReadPythonObject(std::string_view value, std::string_view name) {
  auto object = ReadObject(value);
  if (!object || object->name != name) return std::nullopt;
  return std::move(object->fields);
}

}  // namespace turnlog
