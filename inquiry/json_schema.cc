#include "inquiry/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

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

class Check {
 public:
  Check(const JsonNode& schema, const JsonNode& value, const std::string& path)
      : schema_(schema), value_(value), path_(path) {}

  Fault Run() const {
    if (schema_.is(Kind::kBool)) return schema_.is_true() ? Fault() : Wrong("must not be there");
    for (const auto check : {&Check::Type, &Check::Values, &Check::Size, &Check::Range, &Check::Elements,
                             &Check::Required, &Check::Fields, &Check::All, &Check::Any}) {
      if (Fault fault = (this->*check)()) return fault;
    }
    return std::nullopt;
  }

 private:
  Fault Wrong(std::string_view what) const { return fmt::format("{}: {}", path_, what); }

  bool Fits(const JsonNode& schema) const { return !FindSchemaFault(schema, value_, path_); }

  Fault Type() const {
    const JsonNode* const type = schema_.Find("type");
    if (type == nullptr) return std::nullopt;
    if (type->is(Kind::kString)) {
      return IsType(value_, type->string) ? Fault() : Wrong(fmt::format("must be of type {}", type->string));
    }
    const bool any =
        std::ranges::any_of(type->elements, [&](const JsonNode& name) { return IsType(value_, name.string); });
    return any ? Fault() : Wrong("is of none of the types that it may have");
  }

  Fault Values() const {
    const JsonNode* const choices = schema_.Find("enum");
    const JsonNode* const fixed = schema_.Find("const");
    const auto same = [&](const JsonNode& choice) { return SameValue(choice, value_); };
    if (choices != nullptr && std::ranges::none_of(choices->elements, same)) {
      return Wrong(fmt::format("must be one of the {} values that it may have", choices->elements.size()));
    }
    return fixed == nullptr || same(*fixed) ? Fault() : Wrong("must be the one value that it may have");
  }

  Fault Bound(std::string_view keyword, double actual, std::string_view what, bool upper, bool strict = false) const {
    const JsonNode* const bound = schema_.Find(keyword);
    if (bound == nullptr || !bound->is(Kind::kNumber)) return std::nullopt;
    const double limit = NumberOf(*bound);
    if (upper ? actual < limit : actual > limit) return std::nullopt;
    if (!strict && actual == limit) return std::nullopt;
    return Wrong(fmt::format("{} {} {}", what, strict ? (upper ? "below" : "above") : (upper ? "at most" : "at least"),
                             bound->text));
  }

  Fault Size() const {
    if (value_.is(Kind::kString)) {
      const auto length = static_cast<double>(LengthOf(value_.string));
      if (Fault fault = Bound("minLength", length, "its length must be", false)) return fault;
      return Bound("maxLength", length, "its length must be", true);
    }
    if (!value_.is(Kind::kArray)) return std::nullopt;
    const auto size = static_cast<double>(value_.elements.size());
    if (Fault fault = Bound("minItems", size, "its number of elements must be", false)) return fault;
    return Bound("maxItems", size, "its number of elements must be", true);
  }

  Fault Range() const {
    if (!value_.is(Kind::kNumber)) return std::nullopt;
    const double number = NumberOf(value_);
    if (Fault fault = Bound("minimum", number, "must be", false)) return fault;
    if (Fault fault = Bound("maximum", number, "must be", true)) return fault;
    if (Fault fault = Bound("exclusiveMinimum", number, "must be", false, true)) return fault;
    return Bound("exclusiveMaximum", number, "must be", true, true);
  }

  Fault Elements() const {
    if (!value_.is(Kind::kArray)) return std::nullopt;
    const JsonNode* const items = schema_.Find("items");
    const JsonNode* const unique = schema_.Find("uniqueItems");
    for (std::size_t i = 0; i < value_.elements.size(); ++i) {
      const JsonNode& element = value_.elements[i];
      const std::string path = fmt::format("{}[{}]", path_, i);
      if (unique != nullptr && unique->is_true() && Repeats(i)) return fmt::format("{}: is there already", path);
      if (items == nullptr) continue;
      if (Fault fault = FindSchemaFault(*items, element, path)) return fault;
    }
    return std::nullopt;
  }

  bool Repeats(std::size_t index) const {
    const auto end = value_.elements.begin() + static_cast<std::ptrdiff_t>(index);
    return std::any_of(value_.elements.begin(), end,
                       [&](const JsonNode& earlier) { return SameValue(earlier, value_.elements[index]); });
  }

  Fault Required() const {
    const JsonNode* const required = schema_.Find("required");
    if (required == nullptr || !value_.is(Kind::kObject)) return std::nullopt;
    for (const JsonNode& name : required->elements) {
      if (value_.Find(name.string) == nullptr) return fmt::format("{}.{}: is missing", path_, name.string);
    }
    return std::nullopt;
  }

  Fault Fields() const {
    if (!value_.is(Kind::kObject)) return std::nullopt;
    const JsonNode* const properties = schema_.Find("properties");
    const JsonNode* const others = schema_.Find("additionalProperties");
    for (const JsonNode& field : value_.fields) {
      const JsonNode* schema = properties == nullptr ? nullptr : properties->Find(field.key);
      if (schema == nullptr) schema = others;
      if (schema == nullptr) continue;
      if (Fault fault = FindSchemaFault(*schema, field, fmt::format("{}.{}", path_, field.key))) return fault;
    }
    return std::nullopt;
  }

  Fault All() const {
    const JsonNode* const all = schema_.Find("allOf");
    if (all == nullptr) return std::nullopt;
    for (const JsonNode& schema : all->elements) {
      if (Fault fault = FindSchemaFault(schema, value_, path_)) return fault;
    }
    return std::nullopt;
  }

  Fault Any() const {
    const auto count = [&](const JsonNode& list) {
      return std::ranges::count_if(list.elements, [&](const JsonNode& schema) { return Fits(schema); });
    };
    const JsonNode* const any = schema_.Find("anyOf");
    if (any != nullptr && count(*any) == 0) return Wrong("fits none of the shapes that it may have");
    const JsonNode* const one = schema_.Find("oneOf");
    if (one != nullptr && count(*one) != 1) return Wrong("must fit exactly one of the shapes that it may have");
    const JsonNode* const no = schema_.Find("not");
    return no != nullptr && Fits(*no) ? Wrong("has a shape that it must not have") : Fault();
  }

  const JsonNode& schema_;
  const JsonNode& value_;
  const std::string& path_;
};

}  // namespace

std::optional<std::string> FindSchemaFault(const JsonNode& schema, const JsonNode& value, const std::string& path) {
  return Check(schema, value, path).Run();
}

}  // namespace turnlog
