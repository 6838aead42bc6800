// Collects and applies changes of a text by positions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/doctor/doctor.h"

namespace turnlog {

class TextEdits {
 public:
  void Replace(std::uint64_t begin, std::uint64_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text)});
  }
  void Remove(std::uint64_t begin, std::uint64_t end) { Replace(begin, end, {}); }
  // Several at one position keep their order.
  void Insert(std::uint64_t at, std::string text) { Replace(at, at, std::move(text)); }
  // After what else is inserted there.
  void InsertLast(std::uint64_t at, std::string text) { last_.push_back({at, at, std::move(text)}); }

  // In order. Where two overlap, the one that begins first, or else the longer one, is kept: another pass finds what
  // is then left.
  EditPass Take() &&;

 private:
  std::vector<TextEdit> edits_, last_;
};

// The edit without what its text has in common with the bytes that it replaces.
TextEdit Trimmed(std::uint64_t begin, std::string_view replaced, std::string text);

// Reads [offset, offset + out.size()), up to the end.
using ReadBytes = std::function<Result<std::size_t>(std::uint64_t offset, std::span<char> out)>;
using WriteBytes = std::function<Status(std::string_view bytes)>;
// Writes the first `size` bytes with the edits applied. REQUIRES: these are within them.
Status WriteEdited(const EditPass& edits, std::uint64_t size, const ReadBytes& read, const WriteBytes& write);

}  // namespace turnlog
