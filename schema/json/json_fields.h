// What an object or array holds, one level deep.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "schema/json/json_scan.h"

namespace turnlog {

// Walks the container that begins at text[begin], checking everything on the way unless the text is known to be valid.
class JsonItems {
 public:
  // True: `value()` is the next one. False: that was all, and the container ends at `end()`.
  std::expected<bool, JsonFault> Next();

  std::string_view value() const { return value_; }
  std::size_t end() const { return position_; }

 protected:
  JsonItems(std::string_view text, std::size_t begin, int depth, bool object, JsonTrust trust)
      : text_(text), position_(begin), depth_(depth), object_(object), trust_(trust) {}

  std::string_view key_;

 private:
  JsonEnd Begin() const;
  JsonEnd EndOfValue(std::size_t begin) const;

  std::string_view text_;
  std::size_t position_;
  int depth_;
  bool object_;
  JsonTrust trust_;
  bool first_ = true;
  std::string_view value_;
};

class JsonFields : public JsonItems {
 public:
  explicit JsonFields(std::string_view text, std::size_t begin = 0, int depth = 0)
      : JsonItems(text, begin, depth, true, JsonTrust::kChecked) {}
  JsonFields(std::string_view text, JsonTrust trust) : JsonItems(text, 0, 0, true, trust) {}

  std::string_view key() const { return key_; }  // the token, quotes and escapes included
  bool KeyIs(std::string_view name) const;
};

class JsonElements : public JsonItems {
 public:
  explicit JsonElements(std::string_view text, std::size_t begin = 0, int depth = 0)
      : JsonItems(text, begin, depth, false, JsonTrust::kChecked) {}
  JsonElements(std::string_view text, JsonTrust trust) : JsonItems(text, 0, 0, false, trust) {}
};

struct JsonField {
  std::string_view value;
  std::size_t begin = 0;  // of the key
  std::size_t end = 0;    // of the value
};

// The first field of this name; nothing if `json` is no object.
std::optional<JsonField> FindJsonField(std::string_view json, std::string_view name,
                                       JsonTrust trust = JsonTrust::kChecked);
// What it says, if it is a string.
std::optional<std::string> FindJsonString(std::string_view json, std::string_view name,
                                          JsonTrust trust = JsonTrust::kChecked);

}  // namespace turnlog
