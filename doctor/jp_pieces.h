// The elements of a jp events.json as pieces.
#pragma once

#include <string>

#include "migrate/jp/element_reader.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

class JpPieces final : public PieceReader {
 public:
  // `file` must outlive it.
  explicit JpPieces(SourceFile& file) : elements_(file) {}

  Result<RecordPiece> Next() override;

 private:
  JpElementReader elements_;
  std::string repaired_;
  std::uint64_t line_ = 1;
};

}  // namespace turnlog
