#include "migrate/records/piece_reader.h"

#include <utility>

#include "base/utf8.h"
#include "migrate/records/salvage.h"
#include "schema/json/json_scan.h"

namespace turnlog {

RecordPiece CutRecord(std::string_view text, std::string& repaired) {
  RecordPiece piece{.kind = RecordPiece::Kind::kRecord, .lead = {}, .bytes = text};
  if (auto object = IsUtf8(text) ? JsonObject::Parse(text) : std::nullopt) {
    piece.object = *std::move(object);
  } else if (auto changed = RepairText(text)) {
    repaired = *std::move(changed);
    piece.kind = RecordPiece::Kind::kRepaired;
    piece.reason = kTextReplaced;
    piece.object = *JsonObject::Parse(repaired);
  } else {
    const auto fault = FindJsonFault(text);
    piece.kind = RecordPiece::Kind::kDamage;
    piece.reason = fault ? fault->what : "not a JSON object";
  }
  return piece;
}

}  // namespace turnlog
