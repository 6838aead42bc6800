#include "migrate/opencode/session_reader.h"

#include <utility>

#include "base/try.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/whole_message.h"

namespace turnlog {
namespace {

bool Runs(const RecordPiece& part) { return PartOf(part.object).Object("state").String("status") == "running"; }

}  // namespace

Result<RecordPiece> OpencodeSessionReader::Next() {
  if (!std::exchange(has_header_, true)) return Header();
  if (!reason_.empty()) return End();
  if (!has_rows_) {
    if (auto row = TURNLOG_TRY(NextRow())) return *std::move(row);
  }
  for (;;) {
    auto next = texts_->Next();
    if (!next) return Damage(next.error());
    if (!*next && row_damage_) return Damage(*row_damage_);
    if (!*next) return End();
    const bool was_open = IsOpen();
    text_ = **std::move(next);
    RecordPiece piece = CutRecord(text_.text, repaired_);
    in_rest_ |= text_.is_whole ? TakeWhole(piece) : TakeText(piece, was_open);
    if (in_rest_) {
      rest_ += std::exchange(pending_, {}) + text_.lead + text_.text + text_.trail;
      continue;
    }
    in_rest_ = text_.is_whole ? text_.is_last && IsOpenWhole(piece.object) : IsOpen() && Runs(piece);
    lead_ = std::exchange(pending_, text_.trail) + text_.lead;
    piece.lead = lead_;
    return At(std::move(piece));
  }
}

// Whether it belongs to the rest. `was_open`: the message of the text before.
bool OpencodeSessionReader::TakeText(const RecordPiece& piece, bool was_open) {
  bool rest = false;
  if (text_.is_message) {
    *current_ = ReadOpencodeMessage(PartOf(piece.object));
    current_->id = piece.object.String("id").value_or("");
    torn_message_ = piece.kind == RecordPiece::Kind::kDamage;
    rest = was_open;  // its further parts come before this message
  }
  return rest || (IsOpen() && (torn_message_ || IsUnfinished(PartOf(piece.object))));
}

// The same. What is open of an earlier message stays as it is.
bool OpencodeSessionReader::TakeWhole(const RecordPiece& piece) {
  *current_ = {.complete = true};
  torn_message_ = false;
  return text_.is_last && IsUnfinishedWhole(piece.object);
}

Result<RecordPiece> OpencodeSessionReader::Header() {
  auto header = texts_->Header();
  if (!header) return Damage(header.error());
  header_ = *std::move(header);
  return At({.kind = RecordPiece::Kind::kHeader, .bytes = header_});
}

// Damage there costs the messages nothing.
Result<std::optional<RecordPiece>> OpencodeSessionReader::NextRow() {
  auto row = texts_->NextRow();
  if (!row && row.error().code != ErrorCode::kCorruption) return std::unexpected(row.error());
  if (!row) row_damage_ = row.error();
  has_rows_ = !row || !*row;
  if (has_rows_) return std::nullopt;
  row_ = **std::move(row);
  return At({.kind = RecordPiece::Kind::kRow, .bytes = row_.text, .name = row_.name});
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
