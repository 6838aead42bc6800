// A file that is one record: a JSON object with white space around it.
#pragma once

#include <string>

#include "migrate/records/piece_reader.h"
#include "migrate/sources/byte_reader.h"

namespace turnlog {

// Memory: the file, up to kMaxRecordBytes.
class DocumentReader final : public PieceReader {
 public:
  // `file` must outlive it. `damage_is_end`: a damaged document is what is not complete, because its tool writes it
  // anew.
  explicit DocumentReader(SourceFile& file, bool damage_is_end = false) : bytes_(file), damage_is_end_(damage_is_end) {}

  Result<RecordPiece> Next() override;

 private:
  RecordPiece Record(std::size_t begin, std::size_t end);

  ByteReader bytes_;
  const bool damage_is_end_;
  std::string repaired_;
  std::size_t consume_ = 0;
  bool read_ = false;
};

}  // namespace turnlog
