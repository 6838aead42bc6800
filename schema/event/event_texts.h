// All texts of an event, one by one, for those who look for something in any of them.
#pragma once

#include <functional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

enum class TextKind : std::uint8_t {
  kText,
  kJson,      // one valid value
  kVerbatim,  // the JSON of a verbatim event, which says what it is
  kSource,    // source_text
  kId,        // by which this event or others are known: what a reader pairs or looks up
};

// `field` is its name in the JSON form, with those of the objects around it: "question.text". What is assigned to
// `text` becomes the event's; it must live as long, and be what the kind says.
using OnText = std::function<void(std::string_view field, TextKind kind, std::string_view& text)>;

// Fields that are not there are passed over.
void ForEachText(EventView& event, const OnText& on_text);

}  // namespace turnlog
