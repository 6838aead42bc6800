#include "migrate/jp/array.h"

#include "turnlog/event.h"

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

bool IsJpElement(const JsonObject& object) {
  const bool dated = IsJsonString(object["timestamp"]);
  if (const auto type = object.String("type")) return dated || KindFromName(*type) != EventKind::kUnknown;
  return dated && !object["message"].empty() && !object["reply"].empty();
}

}  // namespace turnlog
