// Cuts the text of a JSON array into its elements without losing a byte: lead, element, lead, element, ..., trailer.
// Parses only the array; an invalid element ends where its writer intended, so that it does not affect the others.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "schema/json/json_scan.h"

namespace turnlog {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct RawElement {
  std::string_view lead;  // the text before the element: bracket or comma, white space
  std::string_view text;
};

struct BadText {
  std::size_t byte = 0;
  std::string_view reason;
  bool torn = false;  // nothing is wrong but that the text ends
};

// The next piece of an array that is read through a window.
struct ArrayPiece {
  enum class Kind { kElement, kTrailer, kTooShort };  // kTooShort: the window must be longer
  Kind kind = Kind::kTooShort;
  RawElement element;        // kElement
  std::string_view trailer;  // kTrailer
};

// Cuts the piece at the beginning of `window`, which begins at the end of the previous piece. `first`: this is the
// first piece. `whole`: the window reaches to the end of the text. `in_object`: the array is a field of an object, and
// the trailer has its other fields.
std::expected<ArrayPiece, BadText> CutArray(std::string_view window, bool first, bool whole, bool in_object = false);

// Whether more text cannot mend the fault of a text that may go on.
bool IsFinal(const JsonFault& fault, std::string_view text);

// The length of the lead in the text of a lead and its element. After damage there may be no bracket or comma.
std::size_t LeadLength(std::string_view lead_and_element);

// Whether a lead has the bracket or comma before its element.
bool HasMark(std::string_view lead);

}  // namespace turnlog
