#include "inquiry/schema_nesting.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::array<std::string_view, 2> kDefinitions{"$defs", "definitions"};
constexpr std::array<std::string_view, 4> kValues{"const", "enum", "default", "examples"};
constexpr std::array<std::string_view, 5> kSchemasByName{"properties", "patternProperties", "dependencies", "$defs",
                                                         "definitions"};

bool IsOneOf(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

class Nesting {
 public:
  Nesting(const std::string& root, JsonWriter& json) : root_(root), json_(json) {}

  void Schema(const JsonNode& schema, bool root = false) {
    if (schema.is(Kind::kArray)) return List(schema);
    if (!schema.is(Kind::kObject)) return json_.Raw(schema.text);
    json_.StartObject();
    for (const JsonNode& keyword : schema.fields) {
      if (root && IsOneOf(kDefinitions, keyword.key)) continue;
      json_.Key(keyword.key);
      Keyword(keyword);
    }
    json_.EndObject();
  }

  void ByName(const JsonNode& schemas) {
    json_.StartObject();
    for (const JsonNode& schema : schemas.fields) json_.Key(schema.key), Schema(schema);
    json_.EndObject();
  }

 private:
  void Keyword(const JsonNode& keyword) {
    if (keyword.key == "$ref") return json_.String(Reference(keyword.string));
    if (IsOneOf(kValues, keyword.key)) return json_.Raw(keyword.text);
    if (IsOneOf(kSchemasByName, keyword.key)) return ByName(keyword);
    Schema(keyword);
  }

  void List(const JsonNode& schemas) {
    json_.StartArray();
    for (const JsonNode& schema : schemas.elements) Schema(schema);
    json_.EndArray();
  }

  std::string Reference(const std::string& reference) const {
    for (const std::string_view name : kDefinitions) {
      if (reference.starts_with("#/" + std::string(name) + "/")) return reference;
    }
    return "#" + root_ + reference.substr(1);
  }

  const std::string& root_;
  JsonWriter& json_;
};

}  // namespace

void AppendDefinitions(const JsonNode& schema, const std::string& root, JsonWriter& json) {
  for (const std::string_view name : kDefinitions) {
    const JsonNode* const definitions = schema.is(Kind::kObject) ? schema.Find(name) : nullptr;
    if (definitions != nullptr) json.Key(name), Nesting(root, json).ByName(*definitions);
  }
}

void AppendNested(const JsonNode& schema, const std::string& root, JsonWriter& json) {
  Nesting(root, json).Schema(schema, true);
}

}  // namespace turnlog
