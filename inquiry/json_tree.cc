#include "inquiry/json_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

// Recursion is bounded: texts are valid, so they are kMaxJsonDepth deep at most.
class TreeParser {
 public:
  explicit TreeParser(std::string_view text) : text_(text) {}

  JsonNode Value() {
    const std::size_t begin = Skip();
    JsonNode node;
    switch (text_[at_]) {
      case '{':
        node.kind = Kind::kObject;
        Elements('}', [&] { node.fields.push_back(Field()); });
        break;
      case '[':
        node.kind = Kind::kArray;
        Elements(']', [&] { node.elements.push_back(Value()); });
        break;
      case '"':
        node.kind = Kind::kString;
        node.string = String();
        break;
      default:
        node.kind = ScalarKind();
        at_ = ScanJson(text_, at_).value_or(text_.size());
    }
    node.text = text_.substr(begin, at_ - begin);
    return node;
  }

 private:
  std::size_t Skip() { return at_ = SkipJsonSpace(text_, at_); }

  template <class Take>
  void Elements(char end, Take take) {
    ++at_;
    while (text_[Skip()] != end) {
      if (text_[at_] == ',') ++at_;
      Skip();
      take();
    }
    ++at_;
  }

  JsonNode Field() {
    std::string key = String();
    at_ = Skip() + 1;  // behind the colon
    JsonNode field = Value();
    field.key = std::move(key);
    return field;
  }

  std::string String() {
    const std::size_t begin = at_;
    at_ = ScanJsonString(text_, at_).value_or(text_.size());
    return UnescapeJson(text_.substr(begin, at_ - begin));
  }

  Kind ScalarKind() const {
    if (text_[at_] == 'n') return Kind::kNull;
    return text_[at_] == 't' || text_[at_] == 'f' ? Kind::kBool : Kind::kNumber;
  }

  std::string_view text_;
  std::size_t at_ = 0;
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

bool SameFields(const JsonNode& left, const JsonNode& right) {
  return left.fields.size() == right.fields.size() && std::ranges::all_of(left.fields, [&](const JsonNode& field) {
           const JsonNode* other = right.Find(field.key);
           return other != nullptr && SameValue(field, *other);
         });
}

}  // namespace

const JsonNode* JsonNode::Find(std::string_view name) const {
  const auto field = std::ranges::find(fields, name, &JsonNode::key);
  return field == fields.end() ? nullptr : &*field;
}

JsonNode ParseTree(const JsonView& json) { return TreeParser(json.text()).Value(); }

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
