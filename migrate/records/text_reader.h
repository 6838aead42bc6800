// Reads a file that has no records as one piece.
#pragma once

#include "migrate/records/piece_reader.h"
#include "migrate/sources/byte_reader.h"

namespace turnlog {

// Memory: the file. One that is too long for an event is damage, in pieces.
class TextReader final : public PieceReader {
 public:
  // `file` must outlive it.
  explicit TextReader(SourceFile& file) : bytes_(file) {}

  Result<RecordPiece> Next() override;

 private:
  ByteReader bytes_;
  std::size_t consume_ = 0;
  bool too_long_ = false, ended_ = false;
};

}  // namespace turnlog
