// A JSON document whose end is missing or unreadable.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

struct ClosedDocument {
  std::size_t end = 0;  // of what is kept
  std::string closing;  // follows it
};

// Closes an object after what can be read of it: strings keep what they have, a field without a value is left out, and
// so is what follows the object. Nothing if there is no field with a value, or if it is sound.
std::optional<ClosedDocument> CloseDocument(std::string_view text);

}  // namespace turnlog
