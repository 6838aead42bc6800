#include "hooks/json_edit.h"

#include <algorithm>

#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

std::size_t OffsetIn(std::string_view text, std::string_view part) {
  return static_cast<std::size_t>(part.data() - text.data());
}

// The indent of the line that contains text[at].
std::string_view IndentAt(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;  // 0 if there is none
  return text.substr(line, text.find_first_not_of(" \t", line) - line);
}

// One level of indent, taken from the first indented line.
std::string_view IndentUnit(std::string_view text) {
  for (std::size_t line = text.find('\n'); line != std::string_view::npos; line = text.find('\n', line + 1)) {
    const std::string_view indent = IndentAt(text, line + 1);
    if (!indent.empty()) return indent;
  }
  return "  ";
}

std::string Replaced(std::string_view text, std::size_t begin, std::size_t end, std::string_view by) {
  return std::string(text.substr(0, begin)).append(by).append(text.substr(end));
}

// On several lines, the first of which is not indented.
std::string Pretty(std::string_view value, std::string_view indent, std::string_view unit) {
  constexpr std::size_t kStep = 2;  // of AppendPretty
  std::string plain, out;
  AppendPretty(value, 0, plain);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    out.push_back(plain[at]);
    if (plain[at] != '\n') continue;
    out.append(indent);
    for (; plain.substr(at + 1, kStep) == "  "; at += kStep) out.append(unit);
  }
  return out;
}

std::string KeyText(std::string_view key) { return key.empty() ? "" : JsonString(key).text() + ": "; }

}  // namespace

std::vector<JsonItem> ItemsOf(std::string_view text, std::string_view container) {
  std::vector<JsonItem> items;
  const auto add = [&](std::string_view key, std::string_view value) {
    const std::size_t end = OffsetIn(text, value) + value.size();
    items.push_back({key, value, OffsetIn(text, key.empty() ? value : key), end});
  };
  if (container.starts_with('{')) {
    for (JsonFields fields(container); fields.Next().value_or(false);) add(fields.key(), fields.value());
  } else if (container.starts_with('[')) {
    for (JsonElements elements(container); elements.Next().value_or(false);) add({}, elements.value());
  }
  return items;
}

std::string WithItem(std::string_view text, std::string_view container, std::string_view key, std::string_view value) {
  const std::size_t begin = OffsetIn(text, container), end = begin + container.size();
  const std::string_view unit = IndentUnit(text);
  const auto items = ItemsOf(text, container);
  if (items.empty()) {
    const std::string outer(IndentAt(text, begin)), inner = outer + std::string(unit);
    const std::string item = KeyText(key) + Pretty(value, inner, unit);
    return Replaced(text, begin + 1, end - 1, "\n" + inner + item + "\n" + outer);
  }
  const JsonItem& last = items.back();
  const std::size_t space = text.find_last_not_of(" \t\r\n", last.begin - 1) + 1;
  const std::string_view before = text.substr(space, last.begin - space);
  std::string item = "," + std::string(before) + KeyText(key);
  if (before.contains('\n')) {
    item += Pretty(value, IndentAt(text, last.begin), unit);
  } else {
    AppendCompact(value, item);
  }
  return Replaced(text, last.end, last.end, item);
}

std::string WithoutItem(std::string_view text, std::string_view container, std::size_t index) {
  const std::size_t begin = OffsetIn(text, container), end = begin + container.size();
  const auto items = ItemsOf(text, container);
  if (items.size() == 1) return Replaced(text, begin + 1, end - 1, "");
  if (index > 0) return Replaced(text, items[index - 1].end, items[index].end, "");
  return Replaced(text, items[0].begin, items[1].begin, "");
}

}  // namespace turnlog
