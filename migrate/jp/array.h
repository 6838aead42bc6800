// The array in a jp events.json. element.h checks the elements.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "migrate/records/json_array.h"
#include "migrate/records/json_object.h"

namespace turnlog {

struct RawElements {
  std::vector<RawElement> elements;
  std::string_view trailer;  // after the last element; the whole text if there is none
};

// The views point into `text`. Fails if the text is not one array.
std::expected<RawElements, BadText> SplitJpEvents(std::string_view text);

// What jp writes before an element, and after the last one.
std::string_view CanonicalLead(bool first);
std::string_view CanonicalTrailer(bool empty);

// Whether an object found amid damaged bytes is an element, and not a part of one.
bool IsJpElement(const JsonObject& object);

}  // namespace turnlog
