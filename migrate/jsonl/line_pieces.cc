#include "migrate/jsonl/line_pieces.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/try.h"
#include "migrate/sources/byte_reader.h"

namespace turnlog {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

// The size of the whole lines.
std::size_t FindLastEnd(std::string_view text) {
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

void LinePiece::Begin(std::uint64_t offset, std::string_view text) {
  offset_ = offset;
  size_ = 0;
  too_long_ = false;
  MakeRoom(text.size() + kPieceBytes);
  std::memcpy(bytes_.get(), text.data(), text.size());
  size_ = text.size();
}

void LinePiece::MakeRoom(std::size_t size) {
  if (size <= capacity_ && capacity_ <= 4 * size) return;
  auto bytes = std::make_unique_for_overwrite<char[]>(size);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = size;
}

Result<bool> LinePieces::Next(LinePiece& piece) {
  piece.Begin(offset_, rest_);
  // A long line is read in pieces that double, so that reading it stays linear.
  std::size_t lines = FindLastEnd(rest_);
  while (lines == 0 && !at_end_) {
    const std::size_t had = piece.size_;
    if (had > kMaxRecordBytes) {
      TURNLOG_TRY(SkipLine(piece));
      return !at_end_ || !rest_.empty();
    }
    TURNLOG_TRY(Read(piece, std::max(kPieceBytes, had)));
    const std::size_t in_new = FindLastEnd(piece.text().substr(had));
    if (in_new > 0) lines = had + in_new;
  }
  if (at_end_) lines = piece.size_;
  rest_.assign(piece.text().substr(lines));
  piece.size_ = lines;
  offset_ += lines;
  piece.end_ = offset_;
  if (lines > 0) has_break_ = piece.text().ends_with('\n');
  return !at_end_;
}

// More at the end of the piece's text.
Status LinePieces::Read(LinePiece& piece, std::size_t size) {
  piece.MakeRoom(piece.size_ + size);
  const std::span room(piece.bytes_.get() + piece.size_, size);
  const std::size_t read = TURNLOG_TRY(file_.ReadAt(piece.offset_ + piece.size_, room));
  piece.size_ += read;
  at_end_ = read < size;
  return {};
}

// The line that the piece is the beginning of.
Status LinePieces::SkipLine(LinePiece& piece) {
  const std::uint64_t begin = piece.offset_;
  piece.too_long_ = true;
  offset_ += piece.size_;
  std::size_t end = 0;
  while (end == 0 && !at_end_) {
    piece.offset_ = offset_;
    piece.size_ = 0;
    TURNLOG_TRY(Read(piece, kPieceBytes));
    end = piece.text().find('\n') + 1;
    offset_ += end > 0 ? end : piece.size_;
  }
  has_break_ = end > 0;
  if (has_break_) rest_.assign(piece.text().substr(end));
  piece.offset_ = begin;
  piece.end_ = offset_;
  piece.size_ = 0;
  return {};
}

}  // namespace turnlog
