// Splits a file of JSON lines into records and damaged pieces, without losing a byte: the pieces, each with the white
// space before it, and the rest after the last one are the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "migrate/import/byte_reader.h"
#include "migrate/records/json_object.h"
#include "migrate/records/salvage.h"

namespace turnlog {

// Views are valid until the next piece.
struct RecordPiece {
  enum class Kind : std::uint8_t {
    kRecord,
    kRepaired,  // a record whose text had to be changed to be valid
    kDamage,
    kEnd,  // `bytes` is what follows the last piece: white space, or a line that has not been written completely
  };

  Kind kind = Kind::kEnd;
  std::string_view lead;     // white space and byte order marks before `bytes`
  std::string_view bytes;    // as in the file
  JsonObject object;         // kRecord, kRepaired
  std::string_view reason;   // kRepaired, kDamage, and kEnd if the last line is incomplete
  std::uint64_t offset = 0;  // of `bytes`
  std::uint64_t line = 1;    // of `bytes`
};

// Memory: one line, or kMaxLineBytes of a longer one.
class RecordReader {
 public:
  // A longer line is damage, in pieces of kMaxDamageBytes.
  static constexpr std::size_t kMaxLineBytes = kMaxEventBytes / 2;
  static constexpr std::size_t kMaxDamageBytes = std::size_t{16} << 20;

  // `file` must outlive it.
  RecordReader(SourceFile& file, IsRecord is_record) : bytes_(file), is_record_(std::move(is_record)) {}

  Result<RecordPiece> Next();

 private:
  struct Cut {
    RecordPiece::Kind kind;
    std::size_t lead, size;  // of the window at the end of the previous cut
    std::string_view reason;
    std::string repaired;  // kRepaired
  };

  Result<void> CutNext();
  Result<bool> FindText(std::size_t& begin);
  void CutLine(std::size_t begin, std::size_t end, bool last);
  void CutDamage(std::size_t begin, std::size_t end, std::string_view reason);
  void CutEnd(std::string_view reason) {
    cuts_.push_back({RecordPiece::Kind::kEnd, 0, bytes_.window().size(), reason, {}});
  }

  ByteReader bytes_;
  const IsRecord is_record_;
  std::deque<Cut> cuts_;
  std::string repaired_;
  std::size_t consume_ = 0;
  std::uint64_t line_ = 1;
  bool in_long_line_ = false;
};

}  // namespace turnlog
