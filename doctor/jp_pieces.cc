#include "doctor/jp_pieces.h"

#include "base/count_lines.h"
#include "base/try.h"

namespace turnlog {

Result<RecordPiece> JpPieces::Next() {
  const ElementPiece element = TURNLOG_TRY(elements_.Next());
  RecordPiece piece;
  switch (element.kind) {
    case ElementPiece::Kind::kElement:
      piece = CutRecord(element.text, repaired_);
      break;
    case ElementPiece::Kind::kDamage:
      piece = {.kind = RecordPiece::Kind::kDamage, .bytes = element.text, .reason = element.reason};
      break;
    case ElementPiece::Kind::kEnd:
      piece = {.kind = RecordPiece::Kind::kEnd, .bytes = element.text, .reason = element.reason};
      break;
  }
  piece.lead = element.lead;
  piece.offset = element.offset;
  line_ += CountLines(element.lead);
  piece.line = line_;
  line_ += CountLines(element.text);
  return piece;
}

}  // namespace turnlog
