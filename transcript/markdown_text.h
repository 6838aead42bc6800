// Texts of any contents inside Markdown.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

// In a fence longer than any in the text nothing is markup. `language`: of the code; may be empty.
std::string Fenced(std::string_view text, std::string_view language);

// Inside a heading, line or quote: no tags, links, images, code.
std::string EscapedMarkdown(std::string_view text);

// The same, on one line.
std::string MarkdownLine(std::string_view text);

}  // namespace turnlog
