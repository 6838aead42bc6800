#include "migrate/opencode/session_reader.h"

#include <utility>

#include "migrate/opencode/converter.h"

namespace turnlog {

Result<RecordPiece> OpencodeSessionReader::Next() {
  if (!std::exchange(has_header_, true)) return Header();
  if (!reason_.empty()) return End();
  auto next = texts_->Next();
  if (!next) return Damage(next.error());
  if (!*next) return End();
  part_ = **std::move(next);
  *current_ = part_.message < messages_.size() ? messages_[part_.message] : OpencodeMessage();
  RecordPiece piece = CutRecord(part_.text, repaired_);
  const JsonObject part = PartOf(piece.object);
  if (in_rest_ || (IsOpen(part_.message) && (!current_->known || IsUnfinished(part)))) {
    in_rest_ = true;
    rest_ += std::exchange(pending_, {}) + part_.lead + part_.text + part_.trail;
    return Next();
  }
  in_rest_ = IsOpen(part_.message) && part.Object("state").String("status") == "running";
  lead_ = std::exchange(pending_, part_.trail) + part_.lead;
  piece.lead = lead_;
  return At(std::move(piece));
}

Result<RecordPiece> OpencodeSessionReader::Header() {
  auto header = texts_->Header(messages_);
  if (!header) return Damage(header.error());
  header_ = *std::move(header);
  return At({.kind = RecordPiece::Kind::kHeader, .bytes = header_});
}

// A damaged database cannot be read any further.
Result<RecordPiece> OpencodeSessionReader::Damage(const Error& error) {
  if (error.code != ErrorCode::kCorruption) return std::unexpected(error);
  reason_ = error.message;
  return RecordPiece{.kind = RecordPiece::Kind::kDamage, .reason = reason_, .offset = offset_};
}

RecordPiece OpencodeSessionReader::End() {
  rest_ += std::exchange(pending_, {});
  lead_ = std::exchange(rest_, {});
  return {.kind = RecordPiece::Kind::kEnd, .bytes = lead_, .offset = offset_};
}

RecordPiece OpencodeSessionReader::At(RecordPiece piece) {
  piece.offset = offset_ + piece.lead.size();
  offset_ = piece.offset + piece.bytes.size();
  return piece;
}

}  // namespace turnlog
