// The elements of a jp events.json as pieces.
#pragma once

#include <string>

#include "migrate/jp/array.h"
#include "migrate/records/element_reader.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

class JpPieces final : public PieceReader {
 public:
  // `file` must outlive it.
  explicit JpPieces(SourceFile& file) : bytes_(file), elements_(bytes_, IsJpElement) {}

  Result<RecordPiece> Next() override;

 private:
  ByteReader bytes_;
  ElementReader elements_;
  std::string repaired_;
  std::uint64_t line_ = 1;
};

}  // namespace turnlog
