// The parts of inquiries in their JSON form.
#pragma once

#include <optional>
#include <string_view>

#include "schema/json/json_writer.h"
#include "turnlog/event.h"

namespace turnlog {

// Objects.
void WriteInquirySource(const BasicInquirySource<std::string_view>& source, JsonWriter& json);
void WriteQuestion(const BasicQuestion<std::string_view>& question, JsonWriter& json);
// The field `responder`, if there is one.
void WriteResponder(const std::optional<BasicResponder<std::string_view>>& responder, JsonWriter& json);

}  // namespace turnlog
