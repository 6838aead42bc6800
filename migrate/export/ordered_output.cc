#include "migrate/export/ordered_output.h"

#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostKept = std::size_t{4} << 20;  // bytes

}  // namespace

Status OrderedOutput::Block::Write(std::string_view piece) {
  if (has_turn_) return output_.sink_(piece);
  kept_ += piece;
  return kept_.size() < kMostKept ? Status() : AwaitTurn();
}

Status OrderedOutput::Block::End(bool complete) {
  if (std::exchange(ended_, true)) return {};
  const Status written = AwaitTurn();
  const std::scoped_lock lock(output_.mutex_);
  output_.failed_ = output_.failed_ || !complete || !written;
  ++output_.turn_;
  output_.turn_changed_.notify_all();
  return written;
}

// Then everything kept has been written.
Status OrderedOutput::Block::AwaitTurn() {
  if (has_turn_) return {};
  {
    std::unique_lock lock(output_.mutex_);
    output_.turn_changed_.wait(lock, [&] { return output_.turn_ == number_ || output_.failed_; });
    if (output_.failed_) return std::unexpected(Error{ErrorCode::kIo, "another conversation could not be written"});
  }
  has_turn_ = true;
  return kept_.empty() ? Status() : output_.sink_(std::exchange(kept_, {}));
}

bool OrderedOutput::HasTurn(std::size_t number) const {
  const std::scoped_lock lock(mutex_);
  return turn_ == number && !failed_;
}

bool OrderedOutput::failed() const {
  const std::scoped_lock lock(mutex_);
  return failed_;
}

}  // namespace turnlog
