// JSON changed as text, token by token: number forms, escapes and the order of keys stay as they are.
// All of these trust that `json` is valid.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

// Without white space between tokens.
void AppendCompact(std::string_view json, std::string& out);

// As serde_json's pretty printer lays it out: two spaces for each of the `depth` and more levels, {} and [] closed up.
void AppendPretty(std::string_view json, int depth, std::string& out);

// Compact; each string that is a value (not a key) goes through `rewrite`, as a token with its quotes.
using StringRewrite = std::function<void(std::string_view token, std::string& out)>;
void AppendRewritten(std::string_view json, const StringRewrite& rewrite, std::string& out);

// The string as a JSON token, escaped as serde_json does it.
void AppendToken(std::string_view text, std::string& out);

struct JsonField {
  std::string_view value;
  std::size_t begin = 0;  // of the key
  std::size_t end = 0;    // of the value
};

// The first field of this name; nothing if `json` is no object.
std::optional<JsonField> FindJsonField(std::string_view json, std::string_view name);
// What it says, if it is a string.
std::optional<std::string> FindJsonString(std::string_view json, std::string_view name);

}  // namespace turnlog
