// The events of a conversation up to a given seq, without erased ones.
#pragma once

#include <cstdint>
#include <memory>

#include "turnlog/log.h"

namespace turnlog {

class SkipErasedCursor : public Cursor {
 public:
  // As `raw`, which reads with `options`, but returns `limit` items that are not erased, and nothing after `last`.
  // `log` must outlive it. REQUIRES: no last_turns; backward from a turn: no limit in `options`; backward without a
  // turn: 1 <= from <= last.
  SkipErasedCursor(Log& log, ConversationId conversation, const ReadOptions& options, std::uint64_t limit, Seq last,
                   std::unique_ptr<Cursor> raw);

  Result<Item> Next() override;

 private:
  // Continues after the last piece, which was too short by what was skipped; false at the end.
  bool NextPiece();

  Log& log_;
  const ConversationId conversation_;
  const Seq last_;
  std::uint64_t left_;           // still to be returned
  ReadOptions piece_;            // the part that raw_ reads
  std::unique_ptr<Cursor> raw_;  // none: it is to be opened
  bool skipped_ = false;         // something in this piece
  Seq seen_;                     // the last seq that was read
};

}  // namespace turnlog
