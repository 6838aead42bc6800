#include "remote/append_queue.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace turnlog {
namespace {

// At once: while the service syncs for one request, it gets the next one.
constexpr unsigned kRequests = 2;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kLarge = kBatchBytes / 4;  // an append that others need not wait for

}  // namespace

Result<AppendResult> AppendQueue::Append(std::string_view append) {
  if (append.size() > kLarge) {
    return std::move(send_(std::span(&append, 1), std::chrono::steady_clock::now()).front());
  }
  std::unique_lock lock(mutex_);
  const bool leads = on_their_way_ < kRequests;
  const bool opens = leads || waiting_.empty() || waiting_.back()->bytes + append.size() > kBatchBytes;
  const std::shared_ptr<Batch> batch = opens ? std::make_shared<Batch>() : waiting_.back();
  const std::size_t index = batch->appends.size();
  batch->appends.push_back(append);
  batch->bytes += append.size();
  batch->handed_over = batch->handed_over || leads;
  if (opens) waiting_.push_back(batch);
  if (leads) ++on_their_way_;  // what may throw comes before it
  lock.unlock();
  if (leads || batch->done.Await() == WaitGroup::Outcome::kLead) Lead(batch);
  if (index < batch->outcomes.size()) return std::move(batch->outcomes[index]);
  return std::unexpected(Error{ErrorCode::kIo, "the request of several appends could not be made"});
}

std::size_t AppendQueue::waiting() {
  const std::scoped_lock lock(mutex_);
  std::size_t appends = 0;
  for (const auto& batch : waiting_) appends += batch->appends.size();
  return appends;
}

// Also if the request throws: its other appends then have no outcome.
void AppendQueue::Lead(const std::shared_ptr<Batch>& batch) {
  struct Ending {
    ~Ending() {
      queue.PassOn();
      batch.done.Finish();
    }
    AppendQueue& queue;
    Batch& batch;
  };
  const Ending ending{*this, *batch};
  // The threads that the last request has answered are about to append again: they join this one, which would be sent
  // with one append otherwise.
  if (crowded_) std::this_thread::yield();
  {
    const std::scoped_lock lock(mutex_);
    std::erase(waiting_, batch);
    crowded_ = on_their_way_ > 1 || batch->appends.size() > 1;
  }
  batch->outcomes = send_(batch->appends, batch->since);
}

// The turn is never given up while a batch waits for one.
void AppendQueue::PassOn() {
  const std::scoped_lock lock(mutex_);
  const auto next = std::ranges::find(waiting_, false, [](const auto& batch) { return batch->handed_over; });
  if (next == waiting_.end()) {
    --on_their_way_;
    return;
  }
  (*next)->handed_over = true;
  (*next)->done.HandOver();
}

}  // namespace turnlog
