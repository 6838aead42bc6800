// Reads a file in pieces of whole lines, so that lines can be told apart by other threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "migrate/sources/source.h"

namespace turnlog {

// Whole lines of a file with their breaks; the last line of the file may have none. It is filled again and again.
class LinePiece {
 public:
  std::string_view text() const { return {bytes_.get(), size_}; }
  std::uint64_t offset() const { return offset_; }  // of the text, in the file
  std::uint64_t end() const { return end_; }
  // Not text, but one line that is longer than any event, and was skipped.
  bool too_long() const { return too_long_; }

 private:
  friend class LinePieces;

  void Begin(std::uint64_t offset, std::string_view text);
  // Keeps the text.
  void MakeRoom(std::size_t size);

  std::unique_ptr<char[]> bytes_;  // not a string: that would touch all of its memory before it is read
  std::size_t capacity_ = 0, size_ = 0;
  std::uint64_t offset_ = 0, end_ = 0;
  bool too_long_ = false;
};

class LinePieces {
 public:
  LinePieces(SourceFile& file, std::uint64_t offset) : file_(file), offset_(offset) {}

  // Reads the next lines into `piece`, if there are any. False: the file has no more after them.
  Result<bool> Next(LinePiece& piece);

  // Of the last piece.
  std::uint64_t end() const { return offset_; }
  bool has_break() const { return has_break_; }

 private:
  Status Read(LinePiece& piece, std::size_t size);
  Status SkipLine(LinePiece& piece);

  SourceFile& file_;
  std::uint64_t offset_;  // up to which pieces were returned
  std::string rest_;      // what was read after that: a part of a line
  bool at_end_ = false, has_break_ = true;
};

}  // namespace turnlog
