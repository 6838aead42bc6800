// Events as bodies of responses: JSON lines for people and programs, items for turnlog's own client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"
#include "turnlog/log.h"

namespace turnlog {

inline constexpr std::string_view kLinesType = "application/jsonl";

// One line of JSON, with its line break: the event; {"type":"erased",...} for an erased one; for damage {"type":
// "damaged",...} with what is known of it.
void AppendLine(const Item& item, std::string& out);

std::unique_ptr<BodySource> LinesOf(std::unique_ptr<Cursor> cursor);
// Each line in an object with what is not of the event itself: {"event","turn","rule","inserted","redacted"}. If large
// events are cut (cut_event.h), "cut" has the bytes that they are stored in.
std::unique_ptr<BodySource> MarkedLinesOf(std::unique_ptr<Cursor> cursor, bool cut);
std::unique_ptr<BodySource> ItemsOf(std::unique_ptr<Cursor> cursor);

}  // namespace turnlog
