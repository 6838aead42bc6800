// The text of a jp events.json, cut into its elements without losing a byte: lead, element, lead, element, ...,
// trailer. Only the outer array is looked at; whether an element is good JSON is for jp_element.h to say, so that a bad
// one does not cost the others.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

namespace turnlog {

struct RawElement {
  std::string_view lead;  // from the element before (or the beginning) to this one: bracket or comma, white space
  std::string_view text;
};

struct RawElements {
  std::vector<RawElement> elements;
  std::string_view trailer;  // behind the last element; the whole text if there is none
};

struct BadText {
  std::size_t byte = 0;
  std::string_view reason;
};

// The next piece of an array that is read through a window.
struct ArrayPiece {
  enum class Kind { kElement, kTrailer, kTooShort };  // kTooShort: the window must be longer to tell
  Kind kind = Kind::kTooShort;
  RawElement element;        // kElement
  std::string_view trailer;  // kTrailer
};

// What stands at the beginning of `window`, which begins where the piece before ended. `first`: there was none.
// `whole`: the window reaches to the end of the text.
std::expected<ArrayPiece, BadText> CutArray(std::string_view window, bool first, bool whole);

// The views point into `text`. Fails if the text is not one array.
std::expected<RawElements, BadText> SplitJpEvents(std::string_view text);

// What jp puts in front of an element, and behind the last one.
std::string_view CanonicalLead(bool first);
std::string_view CanonicalTrailer(bool empty);

// The length of the lead at the beginning of a lead and an element that stand together.
std::size_t LeadLength(std::string_view lead_and_element);

}  // namespace turnlog
