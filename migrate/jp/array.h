// The array in a jp events.json. element.h checks the elements.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "migrate/records/json_array.h"

namespace turnlog {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct RawElements {
  std::vector<RawElement> elements;
  std::string_view trailer;  // after the last element; the whole text if there is none
};

// The views point into `text`. Fails if the text is not one array.
std::expected<RawElements, BadText> SplitJpEvents(std::string_view text);

// What jp writes before an element, and after the last one.
std::string_view CanonicalLead(bool first);
std::string_view CanonicalTrailer(bool empty);

// The length of the lead in the text of a lead and its element. After damage there may be no bracket or comma.
std::size_t LeadLength(std::string_view lead_and_element);

// Whether a lead has the bracket or comma before its element.
bool HasMark(std::string_view lead);

}  // namespace turnlog
