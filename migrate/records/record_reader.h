// Cuts a file of JSON lines into records and damaged pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "migrate/records/piece_reader.h"
#include "migrate/records/salvage.h"
#include "migrate/sources/byte_reader.h"

namespace turnlog {

// Memory: one line, or kMaxLineBytes of a longer one.
class RecordReader final : public PieceReader {
 public:
  // A longer line is damage, in pieces of kMaxDamageBytes.
  static constexpr std::size_t kMaxLineBytes = kMaxEventBytes / 2;

  // `file` must outlive it.
  // From `offset` on, which is in this line.
  RecordReader(SourceFile& file, IsRecord is_record, std::uint64_t offset = 0, std::uint64_t line = 1)
      : bytes_(file, offset), is_record_(std::move(is_record)), being_written_(file.being_written()), line_(line) {}

  Result<RecordPiece> Next() override;

 private:
  struct Cut {
    RecordPiece::Kind kind;
    std::size_t lead, size;  // of the window at the end of the previous cut
    std::string_view reason;
    JsonObject object;     // kRecord
    std::string repaired;  // kRepaired
  };

  Result<void> CutNext();
  Result<bool> FindText(std::size_t& begin);
  void CutLine(std::size_t begin, std::size_t end, bool last);
  void CutDamage(std::size_t begin, std::size_t end, std::string_view reason);
  void CutEnd(std::string_view reason) {
    cuts_.push_back({RecordPiece::Kind::kEnd, 0, bytes_.window().size(), reason, {}, {}});
  }

  ByteReader bytes_;
  const IsRecord is_record_;
  const bool being_written_;
  std::deque<Cut> cuts_;
  std::string repaired_;
  std::size_t consume_ = 0;
  std::uint64_t line_;
  bool in_long_line_ = false;
};

}  // namespace turnlog
