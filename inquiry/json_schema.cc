#include "inquiry/json_schema.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inquiry/json_format.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;
using Fault = std::optional<std::string>;

double NumberOf(const JsonNode& node) { return std::strtod(std::string(node.text).c_str(), nullptr); }

bool IsType(const JsonNode& value, std::string_view type) {
  switch (value.kind) {
    case Kind::kNull:
      return type == "null";
    case Kind::kBool:
      return type == "boolean";
    case Kind::kNumber:
      return type == "number" || (type == "integer" && std::trunc(NumberOf(value)) == NumberOf(value));
    case Kind::kString:
      return type == "string";
    case Kind::kArray:
      return type == "array";
    case Kind::kObject:
      return type == "object";
  }
  return false;
}

// Code points.
std::size_t LengthOf(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

constexpr std::uint64_t kMaxSteps = 200'000;  // schemas may refer to one another in ways that never end

// One check of a value against a schema, with all that follows from it.
class Run {
 public:
  explicit Run(const JsonNode& root) : root_(root) {}

  Fault Check(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (++steps_ > kMaxSteps || depth_ > kMaxJsonDepth) return path + ": the schema takes too long to check";
    ++depth_;
    Fault fault = CheckAll(schema, value, path);
    --depth_;
    return fault;
  }

 private:
  static Fault Wrong(const std::string& path, std::string_view what) { return fmt::format("{}: {}", path, what); }

  bool Fits(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    return !Check(schema, value, path);
  }

  Fault CheckAll(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (schema.is(Kind::kBool)) return schema.is_true() ? Fault() : Wrong(path, "must not be there");
    if (const JsonNode* const reference = schema.Find("$ref")) {
      return Check(*ResolveReference(root_, reference->string), value, path);
    }
    for (const auto check : {&Run::Type, &Run::Values, &Run::Number, &Run::String, &Run::Array, &Run::Object, &Run::All,
                             &Run::Any, &Run::Conditional}) {
      if (Fault fault = (this->*check)(schema, value, path)) return fault;
    }
    return std::nullopt;
  }

  Fault Type(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const JsonNode* const type = schema.Find("type");
    if (type == nullptr) return std::nullopt;
    const std::vector<JsonNode> one{*type};
    const std::vector<JsonNode>& names = type->is(Kind::kArray) ? type->elements : one;
    std::string list;
    for (const JsonNode& name : names) {
      if (IsType(value, name.string)) return std::nullopt;
      list.append(list.empty() ? "" : " or ").append(name.string);
    }
    return Wrong(path, fmt::format("must be of type {}", list));
  }

  Fault Values(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const JsonNode* const choices = schema.Find("enum");
    const JsonNode* const fixed = schema.Find("const");
    const auto same = [&](const JsonNode& choice) { return SameValue(choice, value); };
    if (choices != nullptr && std::ranges::none_of(choices->elements, same)) {
      return Wrong(path, fmt::format("must be one of the {} values that it may have", choices->elements.size()));
    }
    return fixed == nullptr || same(*fixed) ? Fault() : Wrong(path, "must be the one value that it may have");
  }

  struct Limit {
    std::string_view keyword;
    bool upper;
    bool strict = false;
  };

  // What is wrong with this number as a limit; `what` says what it counts.
  static Fault Bound(const JsonNode& schema, const Limit& limit, double actual, const std::string& path,
                     std::string_view what) {
    const JsonNode* const bound = schema.Find(limit.keyword);
    if (bound == nullptr) return std::nullopt;
    const double number = NumberOf(*bound);
    if (limit.upper ? actual < number : actual > number) return std::nullopt;
    if (!limit.strict && actual == number) return std::nullopt;
    const std::string_view than = limit.strict  ? (limit.upper ? "below" : "above")
                                  : limit.upper ? "at most"
                                                : "at least";
    return Wrong(path, fmt::format("{} {} {}", what, than, bound->text));
  }

  Fault Number(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kNumber)) return std::nullopt;
    for (const Limit& limit : {Limit{"minimum", false}, Limit{"maximum", true}, Limit{"exclusiveMinimum", false, true},
                               Limit{"exclusiveMaximum", true, true}}) {
      if (Fault fault = Bound(schema, limit, NumberOf(value), path, "must be")) return fault;
    }
    const JsonNode* const factor = schema.Find("multipleOf");
    if (factor == nullptr || IsMultiple(value.text, factor->text)) return std::nullopt;
    return Wrong(path, fmt::format("must be a multiple of {}", factor->text));
  }

  Fault String(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kString)) return std::nullopt;
    const auto length = static_cast<double>(LengthOf(value.string));
    for (const Limit& limit : {Limit{"minLength", false}, Limit{"maxLength", true}}) {
      if (Fault fault = Bound(schema, limit, length, path, "its length must be")) return fault;
    }
    const JsonNode* const pattern = schema.Find("pattern");
    if (pattern != nullptr && !RE2::PartialMatch(value.string, RE2(pattern->string, RE2::Quiet))) {
      return Wrong(path, "does not match the pattern that it must match");
    }
    const JsonNode* const format = schema.Find("format");
    const bool fits = format == nullptr || HasFormat(format->string, value.string).value_or(true);
    return fits ? Fault() : Wrong(path, fmt::format("must have the format {}", format->string));
  }

  Fault Array(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kArray)) return std::nullopt;
    const auto size = static_cast<double>(value.elements.size());
    for (const Limit& limit : {Limit{"minItems", false}, Limit{"maxItems", true}}) {
      if (Fault fault = Bound(schema, limit, size, path, "its number of elements must be")) return fault;
    }
    const JsonNode* const unique = schema.Find("uniqueItems");
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", path, i);
      if (unique != nullptr && unique->is_true() && Repeats(value, i)) return Wrong(where, "is there already");
      const JsonNode* const item = ItemSchema(schema, i);
      if (item == nullptr) continue;
      if (Fault fault = Check(*item, value.elements[i], where)) return fault;
    }
    const JsonNode* const contains = schema.Find("contains");
    const auto fits = [&](const JsonNode& element) { return Fits(*contains, element, path); };
    if (contains == nullptr || std::ranges::any_of(value.elements, fits)) return std::nullopt;
    return Wrong(path, "has no element of the shape that one must have");
  }

  // Null: there is none for this one.
  static const JsonNode* ItemSchema(const JsonNode& schema, std::size_t index) {
    const JsonNode* const items = schema.Find("items");
    if (items == nullptr || !items->is(Kind::kArray)) return items;
    return index < items->elements.size() ? &items->elements[index] : schema.Find("additionalItems");
  }

  static bool Repeats(const JsonNode& array, std::size_t index) {
    const auto end = array.elements.begin() + static_cast<std::ptrdiff_t>(index);
    return std::any_of(array.elements.begin(), end,
                       [&](const JsonNode& earlier) { return SameValue(earlier, array.elements[index]); });
  }

  Fault Object(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    if (!value.is(Kind::kObject)) return std::nullopt;
    const auto size = static_cast<double>(value.fields.size());
    for (const Limit& limit : {Limit{"minProperties", false}, Limit{"maxProperties", true}}) {
      if (Fault fault = Bound(schema, limit, size, path, "its number of fields must be")) return fault;
    }
    if (const JsonNode* const required = schema.Find("required")) {
      if (Fault fault = Required(*required, value, path)) return fault;
    }
    for (const JsonNode& field : value.fields) {
      if (Fault fault = Field(schema, field, fmt::format("{}.{}", path, field.key))) return fault;
    }
    return Dependencies(schema, value, path);
  }

  static Fault Required(const JsonNode& names, const JsonNode& value, const std::string& path) {
    for (const JsonNode& name : names.elements) {
      if (value.Find(name.string) == nullptr) return fmt::format("{}.{}: is missing", path, name.string);
    }
    return std::nullopt;
  }

  Fault Field(const JsonNode& schema, const JsonNode& field, const std::string& path) {
    if (const JsonNode* const names = schema.Find("propertyNames")) {
      const Json text = JsonString(field.key);
      if (!Fits(*names, ParseTree(text), path)) return Wrong(path, "has a name that it must not have");
    }
    bool known = false;
    if (const JsonNode* const properties = schema.Find("properties")) {
      const JsonNode* const own = properties->Find(field.key);
      known = own != nullptr;
      if (Fault fault = known ? Check(*own, field, path) : Fault()) return fault;
    }
    if (const JsonNode* const patterns = schema.Find("patternProperties")) {
      for (const JsonNode& pattern : patterns->fields) {
        if (!RE2::PartialMatch(field.key, RE2(pattern.key, RE2::Quiet))) continue;
        known = true;
        if (Fault fault = Check(pattern, field, path)) return fault;
      }
    }
    const JsonNode* const others = schema.Find("additionalProperties");
    return known || others == nullptr ? Fault() : Check(*others, field, path);
  }

  Fault Dependencies(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const JsonNode* const dependencies = schema.Find("dependencies");
    if (dependencies == nullptr) return std::nullopt;
    for (const JsonNode& dependency : dependencies->fields) {
      if (value.Find(dependency.key) == nullptr) continue;
      Fault fault = dependency.is(Kind::kArray) ? Required(dependency, value, path) : Check(dependency, value, path);
      if (fault) return fault;
    }
    return std::nullopt;
  }

  Fault All(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const JsonNode* const all = schema.Find("allOf");
    if (all == nullptr) return std::nullopt;
    for (const JsonNode& each : all->elements) {
      if (Fault fault = Check(each, value, path)) return fault;
    }
    return std::nullopt;
  }

  Fault Any(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const auto count = [&](const JsonNode& list) {
      return std::ranges::count_if(list.elements, [&](const JsonNode& each) { return Fits(each, value, path); });
    };
    const JsonNode* const any = schema.Find("anyOf");
    if (any != nullptr && count(*any) == 0) return Wrong(path, "fits none of the shapes that it may have");
    const JsonNode* const one = schema.Find("oneOf");
    if (one != nullptr && count(*one) != 1) return Wrong(path, "must fit exactly one of the shapes that it may have");
    const JsonNode* const no = schema.Find("not");
    return no != nullptr && Fits(*no, value, path) ? Wrong(path, "has a shape that it must not have") : Fault();
  }

  Fault Conditional(const JsonNode& schema, const JsonNode& value, const std::string& path) {
    const JsonNode* const condition = schema.Find("if");
    if (condition == nullptr) return std::nullopt;
    const JsonNode* const then = schema.Find(Fits(*condition, value, path) ? "then" : "else");
    return then == nullptr ? Fault() : Check(*then, value, path);
  }

  const JsonNode& root_;
  std::uint64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::string> FindSchemaFault(const JsonNode& schema, const JsonNode& value, const std::string& path) {
  return Run(schema).Check(schema, value, path);
}

}  // namespace turnlog
