#include "migrate/import/byte_reader.h"

#include <algorithm>
#include <span>

#include "base/try.h"

namespace turnlog {

Result<bool> ByteReader::More() {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = buffer_.size();
  // A long record is parsed again only after each doubling of the window, so that reading it stays linear.
  const std::size_t piece = std::max(kPiece, had);
  if (buffer_.capacity() > 4 * (had + piece)) buffer_.shrink_to_fit();
  buffer_.resize(had + piece);
  const auto read = file_.ReadAt(offset_ + had, std::span(buffer_).subspan(had));
  buffer_.resize(had + read.value_or(0));
  at_end_ = TURNLOG_TRY(read) < piece;
  return buffer_.size() > had;
}

void ByteReader::Consume(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

Result<bool> LineReader::Next() {
  bytes_.Consume(consume_);
  offset_ = bytes_.offset();
  too_long_ = false;
  std::size_t end = bytes_.window().find('\n');
  while (end == std::string_view::npos) {
    const std::size_t searched = bytes_.window().size();
    if (searched > kMaxRecordBytes) return SkipRest();
    if (!TURNLOG_TRY(bytes_.More())) break;
    end = bytes_.window().find('\n', searched);
  }
  line_ = bytes_.window().substr(0, end);
  consume_ = line_.size() + (end == std::string_view::npos ? 0 : 1);
  ++number_;
  return consume_ > 0;
}

Result<bool> LineReader::SkipRest() {
  too_long_ = true;
  line_ = {};
  ++number_;
  for (;;) {
    const std::size_t end = bytes_.window().find('\n');
    consume_ = end == std::string_view::npos ? 0 : end + 1;
    if (consume_ > 0) return true;
    bytes_.Consume(bytes_.window().size());
    if (!TURNLOG_TRY(bytes_.More())) return true;
  }
}

}  // namespace turnlog
