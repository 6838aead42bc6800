#include "logctl/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

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

std::string CompactJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false, escaped = false;
  for (const char c : json) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (in_string || !space) out.push_back(c);
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = in_string && c == '\\' && !escaped;
  }
  return out;
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) line.push_back(c);
    if (space && !line.empty() && line.back() != ' ') line.push_back(' ');
  }
  return Printable(line.erase(line.find_last_not_of(' ') + 1));
}

std::string CutToWidth(std::string_view text, std::size_t columns) {
  constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t at = 0, whole = 0, used = 1;  // of the ellipsis
  for (CharacterReader characters(text); const auto character = characters.Next();) {
    if (!character->joined) whole = at;
    used += character->columns;
    if (used > columns) break;
    at += character->bytes.size();
  }
  return std::string(text.substr(0, whole)).append(kEllipsis);
}

std::string PadRight(std::string text, std::size_t width) {
  const std::size_t has = DisplayWidth(text);
  return text.append(has < width ? width - has : 0, ' ');
}

std::string PadLeft(std::string text, std::size_t width) {
  const std::size_t has = DisplayWidth(text);
  return text.insert(0, has < width ? width - has : 0, ' ');
}

std::string_view Prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
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

std::string Thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string HumanSize(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::string_view units = "KMGTPE";
  while (size >= 1023.95) {
    size /= 1024;
    units.remove_prefix(1);
  }
  return fmt::format("{:.1f} {}iB", size, units.front());
}

std::string Counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", Thousands(count), noun, count == 1 ? "" : "s");
}

std::string DateOf(Timestamp time) { return time.ToRfc3339().substr(0, 10); }
std::string ClockOf(Timestamp time) { return time.ToRfc3339().substr(11, 8); }

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t best = std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = std::exchange(row[j + 1], best);
    }
  }
  return row.back();
}

std::optional<std::string> MostSimilar(std::string_view text, std::span<const std::string> candidates) {
  constexpr std::size_t kShortestPrefix = 2;
  std::size_t least = std::max<std::size_t>(1, text.size() / 3) + 1;
  std::optional<std::string> similar;
  for (const std::string& candidate : candidates) {
    const bool abbreviated = text.size() >= kShortestPrefix && candidate.starts_with(text);
    const std::size_t distance = abbreviated ? 0 : EditDistance(text, candidate);
    if (distance >= least) continue;
    least = distance;
    similar = candidate;
  }
  return similar;
}

}  // namespace turnlog
