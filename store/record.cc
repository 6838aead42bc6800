#include "schema/codec.h"
#include "turnlog/log.h"

namespace turnlog {

Result<EventView> Record::Decode() const { return DecodeEvent(payload); }

Result<Receipt> Log::Append(const ConversationId& conversation, const Event& event, const AppendOptions& options) {
  const EventView view = View(event);
  return Append(conversation, std::span(&view, 1), options);
}

Result<Receipt> Log::Append(const ConversationId& conversation, std::span<const Event> events,
                            const AppendOptions& options) {
  std::vector<EventView> views;
  views.reserve(events.size());
  for (const Event& event : events) views.push_back(View(event));
  return Append(conversation, std::span<const EventView>(views), options);
}

}  // namespace turnlog
