// The whole array of a jp events.json, cut into its elements.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "migrate/records/json_array.h"

namespace turnlog {

struct RawElements {
  std::vector<RawElement> elements;
  std::string_view trailer;  // after the last element; the whole text if there is none
};

// The views point into `text`. Fails if the text is not one array.
inline std::expected<RawElements, BadText> SplitJpEvents(std::string_view text) {
  RawElements split;
  std::size_t done = 0;
  for (;;) {
    const auto piece = CutArray(text.substr(done), split.elements.empty(), true);
    if (!piece) return std::unexpected(BadText{done + piece.error().byte, piece.error().reason});
    if (piece->kind == ArrayPiece::Kind::kTrailer) {
      split.trailer = piece->trailer;
      return split;
    }
    split.elements.push_back(piece->element);
    done += piece->element.lead.size() + piece->element.text.size();
  }
}

}  // namespace turnlog
