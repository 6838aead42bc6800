// JSON changed as text, token by token: number forms, escapes and the order of keys stay as they are.
// REQUIRES, of all of these: `json` is valid.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace turnlog {

// Without white space between tokens.
void AppendCompact(std::string_view json, std::string& out);

// In the layout of serde_json's pretty printer: two spaces per level, starting at `depth`; {} and [] stay closed.
void AppendPretty(std::string_view json, int depth, std::string& out);

// The break before a line of that depth.
void AppendLineBreak(int depth, std::string& out);

// Compact or pretty; calls `rewrite` for each string value (not for keys), as a token with its quotes.
using StringRewrite = std::function<void(std::string_view token, std::string& out)>;
void AppendRewritten(std::string_view json, const StringRewrite& rewrite, std::string& out);
void AppendRewrittenPretty(std::string_view json, int depth, const StringRewrite& rewrite, std::string& out);

}  // namespace turnlog
