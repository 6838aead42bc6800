#include "log/skip_erased_cursor.h"

#include <utility>

#include "base/try.h"
#include "log/item.h"

namespace turnlog {

SkipErasedCursor::SkipErasedCursor(Log& log, ConversationId conversation, const ReadOptions& options,
                                   std::uint64_t limit, Seq last, std::unique_ptr<Cursor> raw)
    : log_(log),
      conversation_(std::move(conversation)),
      last_(last),
      left_(limit),
      piece_(options),
      raw_(std::move(raw)) {}

Result<Item> SkipErasedCursor::Next() {
  while (left_ > 0) {
    if (raw_ == nullptr) raw_ = TURNLOG_TRY(log_.ReadRaw(conversation_, piece_));
    auto item = raw_->Next();  // returned as it is: moving one costs as much as reading a small event
    if (!item) return item;
    if (std::holds_alternative<EndOfLog>(*item)) {
      if (!NextPiece()) left_ = 0;
      continue;
    }
    seen_ = SeqOf(*item);
    if (seen_ > last_) {
      if (piece_.backward) continue;
      break;
    }
    if (std::holds_alternative<Erased>(*item)) {
      skipped_ = true;
      continue;
    }
    --left_;
    return item;
  }
  return EndOfLog{};
}

bool SkipErasedCursor::NextPiece() {
  const bool at_the_front = piece_.backward && seen_.value <= 1;
  if (piece_.limit == UINT64_MAX || at_the_front || !std::exchange(skipped_, false)) return false;
  piece_ = {.from = {piece_.backward ? seen_.value - 1 : seen_.value + 1}, .backward = piece_.backward, .limit = left_};
  raw_.reset();
  return true;
}

}  // namespace turnlog
