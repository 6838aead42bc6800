// The tail of one client. Between two events it keeps a position and no buffers, which matters for thousands of them.
#pragma once

#include <memory>
#include <optional>

#include "base/try.h"
#include "turnlog/log.h"

namespace turnlog {

class Follower {
 public:
  Follower(Log& log, const Position& from, std::optional<ConversationId> conversation)
      : log_(log), position_(from), conversation_(std::move(conversation)) {}

  Status Open() {
    if (tail_ == nullptr) tail_ = TURNLOG_TRY(log_.Follow(position_, conversation_));
    return {};
  }
  // As Tail::Next.
  Result<Item> Next() {
    TURNLOG_TRY(Open());
    Item item = TURNLOG_TRY(tail_->Next());
    position_ = tail_->position();
    return item;
  }
  void Rest() { tail_.reset(); }
  // Goes on from there.
  void MoveTo(const Position& position) {
    tail_.reset();
    position_ = position;
  }
  const Position& position() const { return position_; }
  const std::optional<ConversationId>& conversation() const { return conversation_; }

 private:
  Log& log_;
  Position position_;
  const std::optional<ConversationId> conversation_;
  std::unique_ptr<Tail> tail_;
};

}  // namespace turnlog
