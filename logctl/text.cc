#include "logctl/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/unicode.h"

namespace turnlog {

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
