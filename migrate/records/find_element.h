// Finds elements in a damaged JSON array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "migrate/records/salvage.h"

namespace turnlog {

struct FoundElement {
  std::size_t lead = 0;            // where the bytes before it begin: white space, a bracket or comma
  std::size_t begin = 0, end = 0;  // of the element
};

enum class NotFound : std::uint8_t {
  kNone,
  kCut,  // the text ends within what may be one
};

struct ElementSearch {
  std::size_t from = 0, to = 0;  // it begins in text[from, to)
  // An object that comes before any other value is an element, whatever it has.
  bool any_first = true;
  bool may_be_cut = true;  // the text may end within an element
};

// The first element that `text` has completely: an object that is recognised as one, because an object may also be a
// part of a damaged element. `budget`: the bytes that may still be read, from which those that were are taken, so that
// searches in one text are linear in its length, whatever it contains.
std::expected<FoundElement, NotFound> FindElement(std::string_view text, const ElementSearch& search,
                                                  const IsRecord& is_element, std::size_t& budget);

// For a text of this size that is read as it comes.
constexpr std::size_t SearchBudget(std::size_t size) { return 8 * size; }

}  // namespace turnlog
