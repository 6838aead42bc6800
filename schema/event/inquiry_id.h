// Inquiry ids and the parts that they are joined from.
#pragma once

#include <string_view>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// kInvalidArgument: no id can be made of these parts, whatever their length.
Status CheckInquiryKey(const InquiryKeyView& key);

// Whether `text` is the id that is made of these parts.
bool IsMadeOf(std::string_view text, const InquiryKeyView& key);

}  // namespace turnlog
