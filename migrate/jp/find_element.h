// Finds elements in a damaged events.json.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace turnlog {

struct FoundElement {
  std::size_t lead = 0;            // where the bytes before it begin: white space, a bracket or comma
  std::size_t begin = 0, end = 0;  // of the element
};

// The first element that begins in text[from, to) and that `text` has completely: an object that is recognised as an
// element, because an object may also be a part of a damaged one, or that comes before any other value.
// Linear in the length of the text, whatever it contains.
std::optional<FoundElement> FindElement(std::string_view text, std::size_t from, std::size_t to);

}  // namespace turnlog
