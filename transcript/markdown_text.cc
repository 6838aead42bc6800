#include "transcript/markdown_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "transcript/page_writer.h"

namespace turnlog {

std::string Fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char letter : text) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}\n{}\n\n", fence, language, SafeLines(text), fence);
}

std::string EscapedMarkdown(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '<') {
      escaped += "&lt;";
    } else if (letter == '&') {
      escaped += "&amp;";
    } else {
      if (letter == '[' || letter == ']' || letter == '\\') escaped.push_back('\\');
      escaped.push_back(letter);
    }
  }
  return escaped;
}

std::string MarkdownLine(std::string_view text) {
  std::string line = SafeLines(text);
  std::ranges::replace(line, '\n', ' ');
  return EscapedMarkdown(line);
}

}  // namespace turnlog
