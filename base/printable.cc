#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/unicode.h"

namespace turnlog {
namespace {

void AppendEscape(char32_t code, std::string& out) {
  if (code == '\n' || code == '\r' || code == '\t') {
    out += code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t";
  } else {
    fmt::format_to(std::back_inserter(out), fmt::runtime(code < 0x100 ? "\\x{:02x}" : "\\u{:04x}"),
                   static_cast<std::uint32_t>(code));
  }
}

void AppendJsonEscape(char32_t code, std::string& out) {
  const auto value = static_cast<std::uint32_t>(code);
  if (value < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", value);
  } else {
    const std::uint32_t rest = value - 0x10000;
    fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
  }
}

// Copies `text`, except for what `escape` takes over of the characters that are not safe, by returning true.
template <class Escape>
std::string Rewrite(std::string_view text, Escape&& escape) {
  std::string out;
  out.reserve(text.size());
  CharacterReader characters(text);
  out.append(characters.TakeAscii());
  while (const auto character = characters.Next()) {
    if (character->safe || !escape(*character, out)) out.append(character->bytes);
    out.append(characters.TakeAscii());
  }
  return out;
}

std::string ExpandTabs(std::string_view line) {
  std::string out;
  for (const char c : line) out.append(c == '\t' ? 4 - out.size() % 4 : 1, c == '\t' ? ' ' : c);
  return out;
}

// Where to break `line` so that its first part has at most `width` columns: after a space if there is one.
std::size_t BreakPoint(std::string_view line, std::size_t width) {
  std::size_t columns = 0, after_space = 0;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::size_t at = 0, whole = 0;  // up to where no character as people see them is cut
  for (CharacterReader characters(line); const auto character = characters.Next();) {
    if (!character->joined) whole = at;
    columns += character->columns;
    if (columns > width && whole > 0) return after_space > 0 ? after_space : whole;
    if (line[at] == ' ' && at > indent) after_space = at + 1;
    at += character->bytes.size();
  }
  return line.size();
}

bool WrapLine(std::string_view line, std::size_t width, const std::function<bool(std::string_view)>& on_line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string margin(indent < width / 2 ? indent : 0, ' ');
  for (bool first = true;; first = false) {
    const std::size_t at = BreakPoint(line, first ? width : width - margin.size());
    const std::string_view part = line.substr(0, at);
    const std::string_view shown = part.substr(0, part.find_last_not_of(' ') + 1);
    if (!on_line(first ? std::string(shown) : margin + std::string(shown))) return false;
    line.remove_prefix(at);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return true;
  }
}

}  // namespace

std::string Printable(std::string_view text) {
  return Rewrite(text, [](const Character& character, std::string& out) {
    AppendEscape(character.code.value_or(static_cast<unsigned char>(character.bytes.front())), out);
    return true;
  });
}

std::string PrintableJson(std::string_view json) {
  return Rewrite(json, [](const Character& character, std::string& out) {
    if (!character.code || *character.code < 0x20) return false;  // JSON has no raw controls in strings
    AppendJsonEscape(*character.code, out);
    return true;
  });
}

void WrapText(std::string_view text, std::size_t width, const std::function<bool(std::string_view)>& on_line) {
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!WrapLine(Printable(ExpandTabs(line)), width, on_line) || end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace turnlog
