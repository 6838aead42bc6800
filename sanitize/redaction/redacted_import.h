// The marks of a record of an import that was redacted.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

// `redacted`, the JSON of the record, with the marks that say that it is, and which of its parts are others than in
// `before`; the parts that were marked before stay so.
std::string MarkRedactedParts(std::string_view before, std::string_view redacted);

}  // namespace turnlog
