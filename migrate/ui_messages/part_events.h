// The events that parts of UIMessages and of ModelMessages have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"
#include "migrate/records/record_events.h"
#include "turnlog/event.h"

namespace turnlog {

// Of a call; the user decided about it, or (`automatic`) the program's rules.
Denial DenialOf(std::optional<std::string> reason, bool automatic);
InquiryResponse DecisionOn(const InquiryRequest& asked, bool approved, std::optional<std::string> reason,
                           bool automatic);

// A text or reasoning of the model.
bool IsSaid(const JsonObject& part);
// `opaque`: what only its provider understands; empty: nothing.
void AddSaid(const JsonObject& part, std::string_view opaque, RecordEvents& events);

// `output`: any JSON, of which a string is the text in it, and so are the parts of an array if it `may_be_text`.
void AddOutput(ToolCallResponse response, std::string_view output, bool may_be_text, RecordEvents& events);
// Instead of a result, because the call was refused.
void AddDenied(std::string call, Denial denial, RecordEvents& events);

}  // namespace turnlog
