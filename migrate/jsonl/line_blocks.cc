#include "migrate/jsonl/line_blocks.h"

#include <system_error>
#include <utility>

namespace turnlog {

LineBlocks::~LineBlocks() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

Result<LineBlock*> LineBlocks::Next() {
  if (block_ != nullptr && block_->error()) return std::unexpected(*block_->error());
  std::unique_lock lock(mutex_);
  if (block_ != nullptr) {
    number_ = block_->number();
    spare_.push_back(std::move(block_));
    if (!read_ && threads_.empty()) BeginThreads();
  }
  while (!IsReady() && !(read_ && slots_.empty())) {
    if (HasRoom()) {
      lock.unlock();
      ParseNext();
      lock.lock();
    } else {
      changed_.wait(lock, [this] { return IsReady(); });
    }
  }
  if (slots_.empty()) return nullptr;
  block_ = std::move(slots_.front().block);
  slots_.pop_front();
  block_->SetLinesBefore(number_);
  changed_.notify_all();
  return block_.get();
}

void LineBlocks::BeginThreads() {
  try {
    while (threads_.size() < most_threads_) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
    return;  // the system has no more of them: the others, and this one, do what there is to do
  }
}

void LineBlocks::Work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return HasRoom() || read_ || stopped_; });
      if (read_ || stopped_) return;
    }
    ParseNext();
  }
}

// Reads and parses one block, if there is room for it.
void LineBlocks::ParseNext() {
  std::unique_lock reading(reading_);
  std::unique_ptr<LineBlock> next = TakeSpare();
  if (next == nullptr) return;
  LineBlock& block = *next;
  const bool more = block.Fill(pieces_);
  std::unique_lock lock(mutex_);
  Slot& slot = slots_.emplace_back(std::move(next));
  read_ = !more;
  lock.unlock();
  reading.unlock();
  block.Parse();
  lock.lock();
  slot.parsed = true;
  changed_.notify_all();
}

// Null: another thread was faster.
std::unique_ptr<LineBlock> LineBlocks::TakeSpare() {
  const std::scoped_lock lock(mutex_);
  if (!HasRoom()) return nullptr;
  if (spare_.empty()) return std::make_unique<LineBlock>();
  std::unique_ptr<LineBlock> block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

}  // namespace turnlog
