// The marks in the template of a record (migrate/records/record_template.h), for those who change templates without
// knowing what they are made of. They are control characters, which valid JSON never contains unescaped.
#pragma once

#include <string_view>

namespace turnlog {

// Stored: never change. Before the letter of a slot, and before the texts of the next event.
inline constexpr char kSlotMark = '\x01', kNextEvent = '\x02';
inline constexpr std::string_view kTemplateMarks = "\x01\x02";

}  // namespace turnlog
