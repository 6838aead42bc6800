// One level of a JSON object, as slices of its text.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/json/json_fields.h"
#include "turnlog/types.h"

namespace turnlog {

class JsonObject {
 public:
  // An object without fields.
  JsonObject() = default;
  // Nothing unless `text` is one valid object from its first byte to its last. Does not check UTF-8.
  static std::optional<JsonObject> Parse(std::string_view text);
  // The text must outlive the object.
  template <std::same_as<std::string> Temporary>
  static std::optional<JsonObject> Parse(Temporary&& text) = delete;

  // Of a text that is known to be valid; without fields if it is no object.
  static JsonObject OfValid(std::string_view text);

  std::string_view text() const { return text_; }
  // The value of the last field of this name, as most JSON parsers take it; empty if there is none.
  std::string_view operator[](std::string_view name) const;
  // Nothing if it is no string.
  std::optional<std::string> String(std::string_view name) const;
  // Of a text as in RFC 3339; nothing if it is none.
  std::optional<Timestamp> Time(std::string_view name) const;
  bool IsTrue(std::string_view name) const { return (*this)[name] == "true"; }
  // Without fields if it is no object.
  JsonObject Object(std::string_view name) const;
  // The same, also if it is a string whose text is an object, with white space around it: its slices then live as long
  // as what is returned.
  JsonObject Embedded(std::string_view name) const;
  // In the order of the text: the name's token, quotes included, and the value.
  const std::vector<std::pair<std::string_view, std::string_view>>& fields() const { return fields_; }

 private:
  static std::optional<JsonObject> Parse(std::string_view text, JsonTrust trust);

  std::string_view text_;
  std::shared_ptr<const std::string> own_;  // if nothing else has the text
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

// The elements of a valid array; none if `json` is something else.
std::vector<std::string_view> ElementsOf(std::string_view json);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> ElementsOf(Temporary&& json) = delete;

inline bool IsJsonString(std::string_view json) { return json.starts_with('"'); }

}  // namespace turnlog
