// Writes events as elements of a jp events.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// How outcomes are written: with their tag, or, as jp's main branch, without one.
enum class InquiryForm : std::uint8_t { kTagged, kFlat };

// Appends the event as jp would save it: key order, layout, base64. Fields unknown to jp follow the known ones; a
// turn_start gets no `event_id`, because jp refuses any unknown key in it.
void AppendJpElement(const EventView& event, std::string& out, InquiryForm form = InquiryForm::kTagged);
// Whether AppendJpElement would append the element that the event was read from. Overwrites `scratch`.
bool IsJpElementOf(std::string_view element, EventView event, std::string& scratch);

}  // namespace turnlog
