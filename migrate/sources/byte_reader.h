// Reads a source file sequentially through a window that grows as needed for one record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "migrate/sources/source.h"

namespace turnlog {

class ByteReader {
 public:
  explicit ByteReader(SourceFile& file, std::uint64_t offset = 0) : file_(file), offset_(offset) {}

  // Bytes read and not consumed. Valid until the next call of More.
  std::string_view window() const { return {bytes_.get() + begin_, end_ - begin_}; }
  // Offset of the window's first byte in the file.
  std::uint64_t offset() const { return offset_; }
  // Lengthens the window; false at the end of the file.
  Result<bool> More();
  void Consume(std::size_t bytes);

 private:
  void MakeRoom(std::size_t size);

  SourceFile& file_;
  std::unique_ptr<char[]> bytes_;  // not a string: that would touch all of a large window before it is read
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // of the window in bytes_
  std::uint64_t offset_;
  bool at_end_ = false;
};

// The longest record: twice the size of an event, because of JSON escapes.
inline constexpr std::size_t kMaxRecordBytes = 2 * kMaxEventBytes;

}  // namespace turnlog
