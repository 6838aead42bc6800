// Cuts the text of a JSON array into its elements without losing a byte: lead, element, lead, element, ..., trailer.
// Parses only the array; an invalid element ends where its writer intended, so that it does not affect the others.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

namespace turnlog {

struct RawElement {
  std::string_view lead;  // the text before the element: bracket or comma, white space
  std::string_view text;
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

}  // namespace turnlog
