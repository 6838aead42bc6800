// What the checks of one file find, and the edits that cure it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/text_edits.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

// A record in its file.
class SessionRecord {
 public:
  explicit SessionRecord(const RecordPiece& piece) : piece_(piece) {}

  const JsonObject& object() const { return piece_.object; }
  std::string_view bytes() const { return piece_.bytes; }
  std::uint64_t begin() const { return piece_.offset; }
  std::uint64_t end() const { return piece_.offset + piece_.bytes.size(); }
  std::uint64_t line() const { return piece_.line; }
  // Positions in a record whose text had to be repaired are not those of the file: it is examined in the next pass.
  bool is_exact() const { return piece_.kind == RecordPiece::Kind::kRecord; }
  // REQUIRES: is_exact, and `slice` is a part of the record.
  std::uint64_t Begin(std::string_view slice) const {
    return begin() + static_cast<std::uint64_t>(slice.data() - piece_.bytes.data());
  }
  std::uint64_t End(std::string_view slice) const { return Begin(slice) + slice.size(); }

 private:
  const RecordPiece& piece_;
};

// Where a finding is.
struct FindingLocation {
  std::uint64_t line = 1, byte = 0;
};

class Diagnosis {
 public:
  // `rule`: of SessionRules or ProviderRules.
  void Add(std::string_view rule, FindingLocation at, bool mended, std::string detail = {});
  void Add(std::string_view rule, const SessionRecord& record, bool mended, std::string detail = {}) {
    Add(rule, {record.line(), record.begin()}, mended, std::move(detail));
  }

  TextEdits& edits() { return edits_; }
  // In the order of the file.
  std::vector<SessionFinding> TakeFindings();

 private:
  std::vector<SessionFinding> findings_;
  TextEdits edits_;
};

// Removes and inserts records, which are lines or elements of a list.
class RecordEdits {
 public:
  enum class Layout : std::uint8_t { kLines, kList };

  RecordEdits(Layout layout, TextEdits& edits) : layout_(layout), edits_(edits) {}

  // Before anything is done with the piece, for each piece. True: it is a record on the line of another one, from which
  // it is separated.
  bool Begin(const RecordPiece& piece);
  // The piece that was begun last.
  void Remove(const RecordPiece& piece);
  // `records`: objects, one after another. `end`: of the record that they follow.
  void InsertAfter(std::uint64_t end, const std::vector<std::string>& records);

 private:
  const Layout layout_;
  TextEdits& edits_;
  bool has_piece_ = false, has_kept_ = false;
  bool removed_ = false;    // the last piece
  bool separator_ = false;  // the separator before the next piece goes with the last one
  bool line_used_ = false;  // a kept record is on the current line
  std::uint64_t lead_ = 0;  // where the lead of the last piece begins
};

}  // namespace turnlog
