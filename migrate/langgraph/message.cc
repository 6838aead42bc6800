#include "migrate/langgraph/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  return name.ends_with("Message") || name == "system" ? std::optional(Kind::kOther) : std::nullopt;
}

}  // namespace

std::string LangMessage::Key() const {
  const auto id = fields.String("id");
  return id && !id->empty() ? *id : fmt::format("#{:016x}", Hash64(text));
}

std::optional<LangMessage> ReadLangMessage(std::string_view value) {
  if (auto object = ReadObject(value)) {
    const auto kind = KindOf(object->name);
    if (!kind) return std::nullopt;
    return LangMessage{*kind, std::move(object->fields), value};
  }
  auto plain = JsonObject::Parse(value);
  if (!plain || (*plain)["content"].empty()) return std::nullopt;
  const auto kind = KindOf(plain->String("role").value_or(plain->String("type").value_or("")));
  if (!kind) return std::nullopt;
  return LangMessage{*kind, *std::move(plain), value};
}

std::optional<JsonObject> ReadPythonObject(std::string_view value, std::string_view name) {
  auto object = ReadObject(value);
  if (!object || object->name != name) return std::nullopt;
  return std::move(object->fields);
}

}  // namespace turnlog
