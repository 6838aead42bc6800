// What a reader cuts a source into, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "migrate/records/piece_reader.h"
#include "tests/support/must.h"

namespace turnlog {

// All pieces of `text` as text, with a letter for their kind. Their bytes together must be the text.
inline std::vector<std::string> PiecesOf(PieceReader& reader, const std::string& text) {
  std::vector<std::string> pieces;
  std::string all;
  for (;;) {
    const RecordPiece piece = Must(reader.Next());
    all.append(piece.lead).append(piece.bytes);
    EXPECT_EQ(text.substr(piece.offset, piece.bytes.size()), piece.bytes);
    pieces.push_back(std::string(1, "HRFDET"[static_cast<std::size_t>(piece.kind)]).append(piece.bytes));
    if (piece.kind != RecordPiece::Kind::kEnd) continue;
    EXPECT_EQ(all, text);
    return pieces;
  }
}

}  // namespace turnlog
