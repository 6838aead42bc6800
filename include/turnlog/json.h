// A JSON value as text: arguments, answers, metadata and unknown kinds are kept byte for byte (number forms, escapes,
// key order), so that no conversion can lose anything.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "turnlog/result.h"

namespace turnlog {

// Text is std::string (owning) or std::string_view (borrowed). Empty means "no value".
template <class Text>
class BasicJson {
 public:
  BasicJson() = default;
  // REQUIRES: `text` is one valid JSON value; use ParseJson for untrusted text.
  static BasicJson FromTrusted(Text text) { return BasicJson(std::move(text)); }

  bool empty() const { return text_.empty(); }
  const Text& text() const& { return text_; }
  Text text() && { return std::move(text_); }  // of a temporary: a copy that outlives it
  bool operator==(const BasicJson&) const = default;

 private:
  explicit BasicJson(Text text) : text_(std::move(text)) {}
  Text text_{};
};

using Json = BasicJson<std::string>;
using JsonView = BasicJson<std::string_view>;

// Accepts exactly one JSON value (RFC 8259, UTF-8, at most kMaxJsonDepth deep, numbers of any size) with optional white
// space around it, which is removed. Errors name the byte.
Result<Json> ParseJson(std::string_view text);

// A string as a JSON value, quotes and escapes included.
Json JsonString(std::string_view text);

}  // namespace turnlog
