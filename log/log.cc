// Calls of turnlog::Log that are the same for all engines.
#include "turnlog/log.h"

#include <algorithm>

#include "schema/event/codec.h"

namespace turnlog {

Result<EventView> Record::Decode() const { return DecodeEvent(payload); }

Result<std::optional<Timestamp>> Record::Time() const { return DecodeTime(payload); }

std::optional<std::uint64_t> StoreStats::Figure(std::string_view name) const {
  const auto figure = std::ranges::find(figures, name, &StoreFigure::name);
  return figure == figures.end() ? std::nullopt : std::optional(figure->value);
}

Result<AppendResult> Log::Append(const ConversationId& conversation, const Event& event, const AppendOptions& options) {
  const EventView view = View(event);
  return Append(conversation, std::span(&view, 1), options);
}

Result<AppendResult> Log::Append(const ConversationId& conversation, std::span<const Event> events,
                                 const AppendOptions& options) {
  std::vector<EventView> views;
  views.reserve(events.size());
  for (const Event& event : events) views.push_back(View(event));
  return Append(conversation, std::span<const EventView>(views), options);
}

}  // namespace turnlog
