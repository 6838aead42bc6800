#include "schema/json/json_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

class TreeBuilder : public JsonVisitor {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  void Open(std::size_t at, bool object) {
    open_.push_back(&Add(object ? Kind::kObject : Kind::kArray, text_.substr(at)));
  }
  void Close(std::size_t at, bool) {
    JsonNode& node = *open_.back();
    open_.pop_back();
    node.text.remove_suffix(text_.size() - (at + 1));
  }
  void Key(std::size_t, std::string_view token) { key_ = UnescapeJson(token); }
  void Scalar(std::size_t, std::string_view token) {
    JsonNode& node = Add(KindOf(token.front()), token);
    if (node.kind == Kind::kString) node.string = UnescapeJson(token);
  }

  JsonNode Root() && { return std::move(root_); }

 private:
  static Kind KindOf(char first) {
    if (first == '"') return Kind::kString;
    if (first == 'n') return Kind::kNull;
    return first == 't' || first == 'f' ? Kind::kBool : Kind::kNumber;
  }
  // To the innermost open node. It stays where it is as long as it is open: nothing is added to those around it.
  JsonNode& Add(Kind kind, std::string_view text) {
    JsonNode& node = open_.empty() ? root_ : Children(*open_.back()).emplace_back();
    node.kind = kind;
    node.key = std::exchange(key_, {});
    node.text = text;
    return node;
  }
  static std::vector<JsonNode>& Children(JsonNode& node) {
    return node.kind == Kind::kObject ? node.fields : node.elements;
  }

  std::string_view text_;
  std::string key_;
  std::vector<JsonNode*> open_;
  JsonNode root_;
};

// A number as its digits without zeros at either end, and the power of ten of the last one.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  bool operator==(const Decimal&) const = default;
};

// None if its exponent is beyond all reason.
std::optional<Decimal> ToDecimal(std::string_view text) {
  Decimal number;
  number.negative = text.starts_with('-');
  const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
  if (exponent < text.size()) {
    const std::string_view power = text.substr(exponent + (text[exponent + 1] == '+' ? 2 : 1));
    if (power.size() > 15) return std::nullopt;
    std::from_chars(power.data(), power.data() + power.size(), number.exponent);
  }
  bool fraction = false;
  for (const char c : text.substr(0, exponent)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    if (fraction) --number.exponent;
    if (c != '0' || !number.digits.empty()) number.digits.push_back(c);
  }
  while (number.digits.ends_with('0')) number.digits.pop_back(), ++number.exponent;
  if (number.digits.empty()) return Decimal{};
  return number;
}

bool SameNumber(std::string_view left, std::string_view right) {
  if (left == right) return true;
  const auto left_number = ToDecimal(left);
  return left_number && left_number == ToDecimal(right);
}

__extension__ using Wide = __int128;

// The number in units of 10^exponent; none if that takes more than 30 digits.
std::optional<Wide> InUnits(const Decimal& number, std::int64_t exponent) {
  const std::int64_t zeros = number.exponent - exponent;
  if (static_cast<std::int64_t>(number.digits.size()) + zeros > 30) return std::nullopt;
  Wide units = 0;
  for (const char digit : number.digits) units = units * 10 + (digit - '0');
  for (std::int64_t i = 0; i < zeros; ++i) units *= 10;
  return units;
}

bool SameFields(const JsonNode& left, const JsonNode& right) {
  return left.fields.size() == right.fields.size() && std::ranges::all_of(left.fields, [&](const JsonNode& field) {
           const JsonNode* other = right.Find(field.key);
           return other != nullptr && SameValue(field, *other);
         });
}

}  // namespace

const JsonNode* JsonNode::Find(std::string_view name) const& {
  const auto field = std::ranges::find(fields, name, &JsonNode::key);
  return field == fields.end() ? nullptr : &*field;
}

bool IsMultiple(std::string_view number, std::string_view factor) {
  const auto left = ToDecimal(number), right = ToDecimal(factor);
  if (!left || !right) return false;
  if (left->digits.empty()) return true;
  const std::int64_t exponent = std::min(left->exponent, right->exponent);
  const auto units = InUnits(*left, exponent), of = InUnits(*right, exponent);
  if (units && of) return *units % *of == 0;
  const double quotient =
      std::strtod(std::string(number).c_str(), nullptr) / std::strtod(std::string(factor).c_str(), nullptr);
  return std::trunc(quotient) == quotient;
}

JsonNode ParseTree(const JsonView& json) {
  TreeBuilder builder(json.text());
  (void)VisitValidJson(json.text(), builder);
  return std::move(builder).Root();
}

bool SameValue(const JsonNode& left, const JsonNode& right) {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return left.text == right.text;
    case Kind::kNumber:
      return SameNumber(left.text, right.text);
    case Kind::kString:
      return left.string == right.string;
    case Kind::kArray:
      return std::ranges::equal(left.elements, right.elements,
                                [](const JsonNode& a, const JsonNode& b) { return SameValue(a, b); });
    case Kind::kObject:
      return SameFields(left, right);
  }
  return false;
}

bool SameValue(const Json& left, const Json& right) { return SameValue(ParseTree(left), ParseTree(right)); }

}  // namespace turnlog
