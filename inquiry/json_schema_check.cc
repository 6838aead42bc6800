// Which schemas can be checked.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "inquiry/json_format.h"
#include "inquiry/json_schema.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;
using Problem = std::optional<std::string>;

constexpr std::array<std::string_view, 7> kTypes{"null", "boolean", "integer", "number", "string", "array", "object"};

std::string Unescape(std::string_view pointer_token) {
  std::string token;
  for (std::size_t i = 0; i < pointer_token.size(); ++i) {
    const std::string_view rest = pointer_token.substr(i);
    if (rest.starts_with("~0") || rest.starts_with("~1")) {
      token.push_back(rest[1] == '0' ? '~' : '/'), i += 1;
    } else if (rest.size() >= 3 && rest[0] == '%') {
      token.push_back(static_cast<char>(std::strtoul(std::string(rest.substr(1, 2)).c_str(), nullptr, 16))), i += 2;
    } else {
      token.push_back(rest[0]);
    }
  }
  return token;
}

bool IsTypeName(const JsonNode& node) {
  return node.is(Kind::kString) && std::ranges::find(kTypes, node.string) != kTypes.end();
}

class Checker {
 public:
  explicit Checker(const JsonNode& root) : root_(root) {}

  Problem Schema(const JsonNode& schema, const std::string& path) {
    if (schema.is(Kind::kBool)) return std::nullopt;
    if (!schema.is(Kind::kObject)) return Wrong(path, "must be an object, true or false");
    const JsonNode* const reference = schema.Find("$ref");
    for (const JsonNode& keyword : schema.fields) {
      const bool counts = reference == nullptr || keyword.key == "$ref" || IsDefinitions(keyword.key);
      if (!counts) continue;
      if (Problem problem = Keyword(keyword, path + "/" + keyword.key)) return problem;
    }
    return std::nullopt;
  }

 private:
  using Check = Problem (Checker::*)(const JsonNode& value, const std::string& path);
  struct Rule {
    std::string_view keyword;
    Check check;
  };

  static Problem Wrong(const std::string& path, std::string_view what) {
    return fmt::format("{}: {}", path.empty() ? "schema" : path, what);
  }
  static bool IsDefinitions(std::string_view keyword) { return keyword == "$defs" || keyword == "definitions"; }

  Problem Keyword(const JsonNode& value, const std::string& path) {
    static constexpr std::array<Rule, 45> kRules{{
        {"type", &Checker::Type},
        {"enum", &Checker::Enum},
        {"const", &Checker::Anything},
        {"multipleOf", &Checker::Positive},
        {"maximum", &Checker::Number},
        {"exclusiveMaximum", &Checker::Number},
        {"minimum", &Checker::Number},
        {"exclusiveMinimum", &Checker::Number},
        {"maxLength", &Checker::Size},
        {"minLength", &Checker::Size},
        {"pattern", &Checker::Pattern},
        {"format", &Checker::Format},
        {"items", &Checker::Items},
        {"additionalItems", &Checker::Schema},
        {"maxItems", &Checker::Size},
        {"minItems", &Checker::Size},
        {"uniqueItems", &Checker::Bool},
        {"contains", &Checker::Schema},
        {"maxProperties", &Checker::Size},
        {"minProperties", &Checker::Size},
        {"required", &Checker::Names},
        {"properties", &Checker::Schemas},
        {"patternProperties", &Checker::PatternSchemas},
        {"additionalProperties", &Checker::Schema},
        {"dependencies", &Checker::Dependencies},
        {"propertyNames", &Checker::Schema},
        {"if", &Checker::Schema},
        {"then", &Checker::Schema},
        {"else", &Checker::Schema},
        {"allOf", &Checker::SchemaList},
        {"anyOf", &Checker::SchemaList},
        {"oneOf", &Checker::SchemaList},
        {"not", &Checker::Schema},
        {"$ref", &Checker::Reference},
        {"$defs", &Checker::Schemas},
        {"definitions", &Checker::Schemas},
        {"$schema", &Checker::Anything},
        {"$comment", &Checker::Anything},
        {"title", &Checker::Anything},
        {"description", &Checker::Anything},
        {"default", &Checker::Anything},
        {"examples", &Checker::Anything},
        {"readOnly", &Checker::Anything},
        {"writeOnly", &Checker::Anything},
        {"deprecated", &Checker::Anything},
    }};
    for (const auto& [keyword, check] : kRules) {
      if (keyword == value.key) return (this->*check)(value, path);
    }
    return Wrong(path, "this keyword is not checked here; leave it out");
  }

  Problem Anything(const JsonNode&, const std::string&) { return std::nullopt; }

  Problem Type(const JsonNode& value, const std::string& path) {
    const bool list = value.is(Kind::kArray) && !value.elements.empty();
    const bool fine = list ? std::ranges::all_of(value.elements, IsTypeName) : IsTypeName(value);
    return fine ? Problem() : Wrong(path, fmt::format("must be one of {}, or a list of them", fmt::join(kTypes, ", ")));
  }

  Problem Enum(const JsonNode& value, const std::string& path) {
    const bool fine = value.is(Kind::kArray) && !value.elements.empty();
    return fine ? Problem() : Wrong(path, "must be an array of at least one value");
  }

  Problem Number(const JsonNode& value, const std::string& path) {
    return value.is(Kind::kNumber) ? Problem() : Wrong(path, "must be a number");
  }

  Problem Positive(const JsonNode& value, const std::string& path) {
    const bool fine = value.is(Kind::kNumber) && std::strtod(std::string(value.text).c_str(), nullptr) > 0;
    return fine ? Problem() : Wrong(path, "must be a number above 0");
  }

  Problem Size(const JsonNode& value, const std::string& path) {
    const double size = value.is(Kind::kNumber) ? std::strtod(std::string(value.text).c_str(), nullptr) : -1;
    return size >= 0 && size == std::trunc(size) ? Problem() : Wrong(path, "must be a whole number from 0");
  }

  Problem Bool(const JsonNode& value, const std::string& path) {
    return value.is(Kind::kBool) ? Problem() : Wrong(path, "must be true or false");
  }

  Problem Pattern(const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kString)) return Wrong(path, "must be a string");
    return PatternText(value.string, path);
  }

  static Problem PatternText(const std::string& pattern, const std::string& path) {
    const RE2 compiled(pattern, RE2::Quiet);
    return compiled.ok() ? Problem() : Wrong(path, "must be a regular expression as RE2 has them");
  }

  Problem Format(const JsonNode& value, const std::string& path) {
    const bool known = value.is(Kind::kString) && HasFormat(value.string, "").has_value();
    return known ? Problem() : Wrong(path, "must be date-time, date, time, email, ipv4, ipv6, uri or uuid");
  }

  Problem Items(const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kArray)) return Schema(value, path);
    return Each(value.elements, path);
  }

  Problem Names(const JsonNode& value, const std::string& path) {
    const bool fine = value.is(Kind::kArray) &&
                      std::ranges::all_of(value.elements, [](const JsonNode& name) { return name.is(Kind::kString); });
    return fine ? Problem() : Wrong(path, "must be an array of strings");
  }

  Problem Schemas(const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kObject)) return Wrong(path, "must be an object of schemas");
    for (const JsonNode& field : value.fields) {
      if (Problem problem = Schema(field, path + "/" + field.key)) return problem;
    }
    return std::nullopt;
  }

  Problem PatternSchemas(const JsonNode& value, const std::string& path) {
    if (Problem problem = Schemas(value, path)) return problem;
    for (const JsonNode& field : value.fields) {
      if (Problem problem = PatternText(field.key, path + "/" + field.key)) return problem;
    }
    return std::nullopt;
  }

  Problem Dependencies(const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kObject)) return Wrong(path, "must be an object");
    for (const JsonNode& field : value.fields) {
      const std::string where = path + "/" + field.key;
      if (Problem problem = field.is(Kind::kArray) ? Names(field, where) : Schema(field, where)) return problem;
    }
    return std::nullopt;
  }

  Problem SchemaList(const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kArray) || value.elements.empty()) return Wrong(path, "must be an array of schemas");
    return Each(value.elements, path);
  }

  Problem Each(const std::vector<JsonNode>& schemas, const std::string& path) {
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      if (Problem problem = Schema(schemas[i], fmt::format("{}/{}", path, i))) return problem;
    }
    return std::nullopt;
  }

  // It may lead to a field in which no keyword has a schema.
  Problem Reference(const JsonNode& value, const std::string& path) {
    const JsonNode* const target = value.is(Kind::kString) ? ResolveReference(root_, value.string) : nullptr;
    if (target == nullptr) return Wrong(path, "must name a part of this schema, such as \"#/$defs/name\"");
    return visited_.insert(target).second ? Schema(*target, value.string) : std::nullopt;
  }

  const JsonNode& root_;
  std::set<const JsonNode*> visited_;
};

}  // namespace

const JsonNode* ResolveReference(const JsonNode& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const JsonNode* node = &root;
  while (!reference.empty()) {
    if (reference.front() != '/') return nullptr;
    reference.remove_prefix(1);
    const std::size_t end = std::min(reference.find('/'), reference.size());
    const std::string token = Unescape(reference.substr(0, end));
    reference.remove_prefix(end);
    if (node->is(Kind::kArray)) {
      const bool digits = !token.empty() && token.size() < 9 && std::ranges::all_of(token, ::isdigit);
      const std::size_t index = digits ? std::stoul(token) : node->elements.size();
      node = index < node->elements.size() ? &node->elements[index] : nullptr;
    } else {
      node = node->Find(token);
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::optional<std::string> FindSchemaProblem(const JsonNode& schema) { return Checker(schema).Schema(schema, ""); }

}  // namespace turnlog
