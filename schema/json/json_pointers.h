// Locations in a JSON text as JSON Pointers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

// For each offset into a JSON text the JSON Pointer (RFC 6901) of the innermost value that it is in; nothing if the
// text is not valid JSON. A key belongs to the object around it. REQUIRES: the offsets are sorted. Time: linear.
std::optional<std::vector<std::string>> JsonPointers(std::string_view json, std::span<const std::size_t> offsets);

// The keys of a JSON Pointer without its escapes `~0` and `~1`.
std::string UndoPointerEscapes(std::string_view pointer);

}  // namespace turnlog
