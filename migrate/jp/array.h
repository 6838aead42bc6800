// The array in a jp events.json. element.h checks the elements.
#pragma once

#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

// What jp writes before an element, and after the last one.
std::string_view CanonicalLead(bool first);
std::string_view CanonicalTrailer(bool empty);

// Whether an object found amid damaged bytes is an element, and not a part of one.
bool IsJpElement(const JsonObject& object);

}  // namespace turnlog
