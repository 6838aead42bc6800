#include "search/matching_lines.h"

#include <algorithm>
#include <functional>

#include "schema/event/event_texts.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Calls `on_text` with each text that a person reads, until it returns false. Skips source_text, which repeats the
// other fields, and a verbatim event's type, which is in its JSON.
using OnPlainText = std::function<bool(std::string_view field, TextKind kind, std::string_view text)>;

void ForEachPlainText(const EventView& event, const OnPlainText& on_text) {
  EventView copy = event;  // ForEachText takes a mutable view
  bool go_on = true;
  ForEachText(copy, [&](std::string_view field, TextKind kind, std::string_view& text) {
    const bool said_elsewhere = kind == TextKind::kSource || field == "type" || field.ends_with(".type");
    if (!go_on || said_elsewhere) return;
    const bool json = kind == TextKind::kJson || kind == TextKind::kVerbatim;
    const bool escaped = json && text.find('\\') != std::string_view::npos;
    go_on = escaped ? on_text(field, kind, UnescapedJson(text)) : on_text(field, kind, text);
  });
}

std::string_view WithoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string UnescapedJson(std::string_view json) {
  std::string plain;
  plain.reserve(json.size());
  while (!json.empty()) {
    const std::size_t quote = std::min(json.find('"'), json.size());
    plain.append(json.substr(0, quote));
    json.remove_prefix(quote);
    if (json.empty()) break;
    const JsonEnd end = ScanJsonString(json, 0);
    const std::string_view token = json.substr(0, end ? *end : json.size());
    const bool escaped = end && token.find('\\') != std::string_view::npos;
    escaped ? plain.append(1, '"').append(UnescapeJson(token)).append(1, '"') : plain.append(token);
    json.remove_prefix(token.size());
  }
  return plain;
}

bool Matches(const EventView& event, const Pattern& pattern) {
  bool found = false;
  ForEachPlainText(event, [&](std::string_view, TextKind, std::string_view text) {
    pattern.ForEachLine(text, [&](std::string_view, const std::vector<MatchSpan>&) {
      found = true;
      return false;
    });
    return !found;
  });
  return found;
}

std::vector<FoundLine> MatchingLines(const EventView& event, const Pattern& pattern) {
  std::vector<FoundLine> lines;
  ForEachPlainText(event, [&](std::string_view field, TextKind, std::string_view text) {
    pattern.ForEachLine(text, [&](std::string_view line, std::vector<MatchSpan> matches) {
      lines.emplace_back(std::string(field), std::string(WithoutReturn(line)), std::move(matches));
      return true;
    });
    return true;
  });
  return lines;
}

std::optional<FoundLine> FirstLine(const EventView& event) {
  std::optional<FoundLine> first;
  ForEachPlainText(event, [&](std::string_view field, TextKind kind, std::string_view text) {
    if (kind == TextKind::kId || text.empty()) return true;
    first = FoundLine{std::string(field), std::string(WithoutReturn(text.substr(0, text.find('\n')))), {}};
    return false;
  });
  return first;
}

}  // namespace turnlog
