#include "service/event_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "turnlog/event_json.h"

namespace turnlog {

Result<std::vector<Event>> ParseEventLines(std::string_view text) {
  std::vector<Event> events;
  EventParser parser;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto event = parser.Parse(line);
    if (!event) {
      return std::unexpected(Error{event.error().code, fmt::format("line {}: {}", number, event.error().message)});
    }
    events.push_back(Own(*event));
  }
  return events;
}

}  // namespace turnlog
