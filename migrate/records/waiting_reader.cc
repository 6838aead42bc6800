#include "migrate/records/waiting_reader.h"

#include <utility>

#include "base/count_lines.h"
#include "base/try.h"

namespace turnlog {

Result<RecordPiece> WaitingReader::Next() {
  RecordPiece piece;
  if (following_) {
    piece = *std::exchange(following_, std::nullopt);
  } else {
    piece = TURNLOG_TRY(reader_->Next());
  }
  const bool unfinished = piece.kind == RecordPiece::Kind::kRecord && is_unfinished_(piece.object);
  return unfinished ? HoldBack(piece) : piece;
}

// The pieces of the other reader are valid until its next one.
Result<RecordPiece> WaitingReader::HoldBack(const RecordPiece& record) {
  lead_ = record.lead;
  bytes_ = record.bytes;
  RecordPiece held{.kind = record.kind,
                   .lead = lead_,
                   .bytes = bytes_,
                   .object = JsonObject::OfValid(bytes_),
                   .offset = record.offset,
                   .line = record.line};
  RecordPiece next = TURNLOG_TRY(reader_->Next());
  const bool is_last = next.kind == RecordPiece::Kind::kEnd && next.reason.empty();
  if (!is_last || !waits_(held.object)) {
    following_ = std::move(next);
    return held;
  }
  bytes_.insert(0, lead_).append(next.bytes);
  return RecordPiece{.kind = RecordPiece::Kind::kEnd,
                     .bytes = bytes_,
                     .offset = held.offset - lead_.size(),
                     .line = held.line - CountLines(lead_)};
}

}  // namespace turnlog
