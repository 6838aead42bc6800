// Stored text for display: it cannot control the terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace turnlog {

// One line: characters that are not safe to show (unicode.h) become visible escapes such as \x1b or \u202e, bytes that
// are not UTF-8 become \xff. The result is valid UTF-8 and safe on any terminal.
std::string Printable(std::string_view text);

// For JSON on a terminal: escapes the same characters as \u, so that the JSON value stays the same.
std::string PrintableJson(std::string_view json);

// Calls `on_line` with each printable line of `text`, broken at spaces to `width` columns; indentation is kept. False
// from `on_line` stops it.
void WrapText(std::string_view text, std::size_t width, const std::function<bool(std::string_view line)>& on_line);

}  // namespace turnlog
