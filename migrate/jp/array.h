// Splits the text of a jp events.json into its elements without losing a byte: lead, element, lead, element, ...,
// trailer. Parses only the outer array; element.h checks the elements, so that an invalid one does not affect the
// others.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

namespace turnlog {

struct RawElement {
  std::string_view lead;  // the text before the element: bracket or comma, white space
  std::string_view text;
};

struct RawElements {
  std::vector<RawElement> elements;
  std::string_view trailer;  // after the last element; the whole text if there is none
};

struct BadText {
  std::size_t byte = 0;
  std::string_view reason;
};

// The next piece of an array that is read through a window.
struct ArrayPiece {
  enum class Kind { kElement, kTrailer, kTooShort };  // kTooShort: the window must be longer
  Kind kind = Kind::kTooShort;
  RawElement element;        // kElement
  std::string_view trailer;  // kTrailer
};

// Cuts the piece at the beginning of `window`, which begins at the end of the previous piece. `first`: this is the
// first piece. `whole`: the window reaches to the end of the text.
std::expected<ArrayPiece, BadText> CutArray(std::string_view window, bool first, bool whole);

// The views point into `text`. Fails if the text is not one array.
std::expected<RawElements, BadText> SplitJpEvents(std::string_view text);

// What jp writes before an element, and after the last one.
std::string_view CanonicalLead(bool first);
std::string_view CanonicalTrailer(bool empty);

// The length of the lead in the text of a lead and its element.
std::size_t LeadLength(std::string_view lead_and_element);

}  // namespace turnlog
