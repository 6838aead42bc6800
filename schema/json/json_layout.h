// JSON changed as text, token by token: number forms, escapes and the order of keys stay as they are.
// REQUIRES, of all of these: `json` is valid.
#pragma once

#include <functional>
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

}  // namespace turnlog
