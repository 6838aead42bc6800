#include "migrate/sources/byte_reader.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/try.h"

namespace turnlog {

Result<bool> ByteReader::More() {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  if (at_end_) return false;
  // A long record is parsed again only after each doubling of the window, so that reading it stays linear.
  const std::size_t had = end_ - begin_;
  const std::size_t piece = std::max(kPiece, had);
  MakeRoom(had + piece);
  const std::size_t read = TURNLOG_TRY(file_.ReadAt(offset_ + had, std::span(bytes_.get() + had, piece)));
  end_ = had + read;
  at_end_ = read < piece;
  return read > 0;
}

// Moves the window to the front of a buffer that is large enough, and not much too large.
void ByteReader::MakeRoom(std::size_t size) {
  const std::string_view kept = window();
  if (size > capacity_ || capacity_ > 4 * size) {
    auto bytes = std::make_unique_for_overwrite<char[]>(size);
    kept.copy(bytes.get(), kept.size());
    bytes_ = std::move(bytes);
    capacity_ = size;
  } else if (!kept.empty()) {
    std::memmove(bytes_.get(), kept.data(), kept.size());
  }
  end_ = kept.size();
  begin_ = 0;
}

void ByteReader::Consume(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

}  // namespace turnlog
