// A file that is one record: a JSON object with white space around it.
#pragma once

#include <string>

#include "migrate/import/byte_reader.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

// Memory: the file, up to kMaxRecordBytes.
class DocumentReader final : public PieceReader {
 public:
  // `file` must outlive it.
  explicit DocumentReader(SourceFile& file) : bytes_(file) {}

  Result<RecordPiece> Next() override;

 private:
  RecordPiece Record(std::size_t begin, std::size_t end);

  ByteReader bytes_;
  std::string repaired_;
  std::size_t consume_ = 0;
  bool read_ = false;
};

}  // namespace turnlog
