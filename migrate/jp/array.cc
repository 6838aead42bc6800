#include "migrate/jp/array.h"

#include "schema/json/json_scan.h"

namespace turnlog {

std::expected<RawElements, BadText> SplitJpEvents(std::string_view text) {
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

std::string_view CanonicalLead(bool first) { return first ? "[\n  " : ",\n  "; }

std::string_view CanonicalTrailer(bool empty) { return empty ? "[]\n" : "\n]\n"; }

std::size_t LeadLength(std::string_view lead_and_element) {
  std::size_t at = lead_and_element.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  at = SkipJsonSpace(lead_and_element, at);
  if (at < lead_and_element.size() && HasMark(lead_and_element.substr(at, 1))) {
    at = SkipJsonSpace(lead_and_element, at + 1);
  }
  return at;
}

bool HasMark(std::string_view lead) { return lead.find_first_of("[,") != std::string_view::npos; }

}  // namespace turnlog
