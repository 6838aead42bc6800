// What was appended to a conversation and has not been erased since.
#pragma once

#include <cstdint>
#include <memory>

#include "turnlog/log.h"

namespace turnlog {

class LiveCursor : public Cursor {
 public:
  // As ReadRaw, but `limit` counts what is given. `log` must outlive it.
  LiveCursor(Log& log, ConversationId conversation, const ReadOptions& options);

  Result<Item> Next() override;

 private:
  // Behind the last piece, which was too short by what was skipped; false: that was all.
  bool NextPiece();

  Log& log_;
  const ConversationId conversation_;
  std::uint64_t left_;  // still to be given
  ReadOptions piece_;   // the part that raw_ reads
  std::unique_ptr<Cursor> raw_;
  bool skipped_ = false;  // something in this piece
  Seq seen_;              // the last seq that was read
};

}  // namespace turnlog
