#include "turnlog/event.h"

#include <array>
#include <utility>

#include "schema/event/event_converter.h"

namespace turnlog {
namespace {

constexpr std::array<std::pair<EventKind, std::string_view>, 12> kKindNames{{
    {EventKind::kTurnStart, "turn_start"},
    {EventKind::kChatRequest, "chat_request"},
    {EventKind::kChatResponse, "chat_response"},
    {EventKind::kToolCallRequest, "tool_call_request"},
    {EventKind::kToolCallResponse, "tool_call_response"},
    {EventKind::kInquiryRequest, "inquiry_request"},
    {EventKind::kInquiryResponse, "inquiry_response"},
    {EventKind::kConfigDelta, "config_delta"},
    {EventKind::kCompaction, "compaction"},
    {EventKind::kRepair, "repair"},
    {EventKind::kRedaction, "redaction"},
    {EventKind::kUnknown, "unknown"},
}};

}  // namespace

std::string_view ToString(EventKind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  return "unknown";
}

EventKind KindFromName(std::string_view name) {
  for (const auto& [kind, known] : kKindNames) {
    if (known == name) return kind;
  }
  return EventKind::kUnknown;
}

bool IsGlobal(EventKind kind) { return kind >= EventKind::kConfigDelta; }

EventView View(const Event& event) {
  const auto make = [](std::string_view text) { return text; };
  return EventConverter<std::string_view, decltype(make)>{make}.Event(event);
}

Event Own(const EventView& view) {
  const auto make = [](std::string_view text) { return std::string(text); };
  return EventConverter<std::string, decltype(make)>{make}.Event(view);
}

}  // namespace turnlog
