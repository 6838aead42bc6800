#include "migrate/import/flush_queue.h"

#include <system_error>
#include <utility>

namespace turnlog {
namespace {

// Of a batch: a thread is not woken for less.
constexpr std::size_t kBatchFlushes = 64, kFlushBytes = std::size_t{256} << 10;
// Of what was handed over. Each flush holds some 2 KiB besides its events.
constexpr std::size_t kMostBatches = 4, kMostBytes = std::size_t{8} << 20;

}  // namespace

FlushQueue::~FlushQueue() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void FlushQueue::Push(ConversationFlush flush) {
  filling_bytes_ += flush.bytes;
  filling_.push_back(std::move(flush));
  if (!threaded_ || filling_.size() >= kBatchFlushes || filling_bytes_ >= kFlushBytes) HandOver();
}

void FlushQueue::HandOver() {
  if (!BeginThread()) {
    Run(filling_);
    filling_bytes_ = 0;
    return done_.push_back(std::exchange(filling_, TakeSpare()));
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostBatches && handed_bytes_ < kMostBytes; });
  handed_bytes_ += std::exchange(filling_bytes_, 0);
  waiting_.push_back(std::exchange(filling_, TakeSpare()));
  changed_.notify_all();
}

FlushQueue::Batch FlushQueue::TakeSpare() {
  if (spare_.empty()) return {};
  Batch batch = std::move(spare_.back());
  spare_.pop_back();
  return batch;
}

// False: the source is done with the first batch, or the system has no thread for it.
bool FlushQueue::BeginThread() {
  if (!threaded_ || thread_.joinable()) return threaded_;
  try {
    thread_ = std::jthread([this] { Work(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

std::vector<ConversationFlush>& FlushQueue::TakeDone() {
  const std::scoped_lock lock(mutex_);
  taken_.clear();
  if (done_.empty()) return taken_;
  if (taken_.capacity() > 0) spare_.push_back(std::move(taken_));
  taken_ = std::move(done_.front());
  done_.pop_front();
  return taken_;
}

void FlushQueue::Finish() {
  if (!filling_.empty()) HandOver();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !running_; });
}

void FlushQueue::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !waiting_.empty() || stopped_; });
    if (stopped_) return;
    Batch batch = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = true;
    lock.unlock();
    Run(batch);
    lock.lock();
    running_ = false;
    for (const ConversationFlush& flush : batch) handed_bytes_ -= flush.bytes;
    done_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

void FlushQueue::Run(Batch& batch) {
  for (ConversationFlush& flush : batch) Run(flush);
}

void FlushQueue::Run(ConversationFlush& flush) {
  OpenConversation& conversation = *flush.conversation;
  flush.ignored = conversation.refused;
  if (flush.ignored) return;
  ConversationImport& import = conversation.import;
  flush.status = import.Flush(std::move(flush.events), flush.last);
  flush.events = import.TakeFlushed();
  flush.refused = conversation.refused = !flush.status;
  if (flush.status || flush.status.error().code == ErrorCode::kConflict) return;
  ImportProblem problem = At(import.fault(), {import.fault_code()});
  if (problem.file.empty()) problem.file = path_;
  problem.conversation = import.id().text();
  flush.status = run_.FailOrStop(std::move(problem), flush.status.error());
}

}  // namespace turnlog
