// A JSON value taken apart, for the few places that look inside of arguments and answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/json.h"

namespace turnlog {

struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string key;                 // of a field
  std::string_view text;           // unchanged, borrowed from what was parsed
  std::string string;              // kString: unescaped
  std::vector<JsonNode> elements;  // kArray
  std::vector<JsonNode> fields;    // kObject, in order

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_true() const { return kind == Kind::kBool && text == "true"; }
  Json json() const { return Json::FromTrusted(std::string(text)); }
  // The first field of that name, null if there is none.
  const JsonNode* Find(std::string_view name) const&;
  const JsonNode* Find(std::string_view name) const&& = delete;
};

// REQUIRES: `json` has a value. The tree borrows from it.
JsonNode ParseTree(const JsonView& json);
inline JsonNode ParseTree(const Json& json) { return ParseTree(JsonView::FromTrusted(json.text())); }
JsonNode ParseTree(const Json&& json) = delete;

// The same value, however it is written: 1.0 and 1, "a" and "\u0061", fields in any order. Numbers are compared
// without rounding.
bool SameValue(const JsonNode& left, const JsonNode& right);
bool SameValue(const Json& left, const Json& right);
// REQUIRES: numbers as JSON has them, the factor above 0. Without rounding, unless there are more than 30 digits.
bool IsMultiple(std::string_view number, std::string_view factor);

}  // namespace turnlog
