#include "migrate/records/document_reader.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "migrate/records/json_array.h"

namespace turnlog {

Result<RecordPiece> DocumentReader::Next() {
  constexpr std::string_view kSpace = " \t\r\n";
  bytes_.Consume(std::exchange(consume_, 0));
  while (bytes_.window().size() <= kMaxRecordBytes && TURNLOG_TRY(bytes_.More())) {
  }
  const std::string_view window = bytes_.window();
  const std::size_t mark = window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t begin = std::min(window.find_first_not_of(kSpace, mark), window.size());
  const std::size_t end = std::max(window.find_last_not_of(kSpace) + 1, begin);
  if (!std::exchange(read_, true) && begin < end) return Record(begin, end);
  if (begin == end) return RecordPiece{.bytes = window, .offset = bytes_.offset()};
  return Record(0, window.size());  // too long for one piece
}

RecordPiece DocumentReader::Record(std::size_t begin, std::size_t end) {
  const std::string_view window = bytes_.window();
  RecordPiece piece;
  if (end - begin <= kMaxDamageBytes) {
    piece = CutRecord(window.substr(begin, end - begin), repaired_);
  } else {
    end = begin + kMaxDamageBytes;
    piece = {.kind = RecordPiece::Kind::kDamage, .bytes = window.substr(begin, end - begin), .reason = "too long"};
  }
  if (damage_is_end_ && piece.kind == RecordPiece::Kind::kDamage && window.size() <= kMaxDamageBytes) {
    return {.bytes = window, .reason = piece.reason, .offset = bytes_.offset()};
  }
  piece.lead = window.substr(0, begin);
  piece.offset = bytes_.offset() + begin;
  consume_ = end;
  return piece;
}

}  // namespace turnlog
