// Work for one thread beside the caller's: a batch at a time, and the caller's thread does what this one has no time
// for.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace turnlog {

// Memory: three batches. `Batch` is empty when it is made.
template <class Batch>
class WorkBeside {
 public:
  // `work`: called on the thread, which begins with the first batch. It leaves the batch empty.
  explicit WorkBeside(std::function<void(Batch&)> work) : work_(std::move(work)) {}
  WorkBeside(const WorkBeside&) = delete;
  WorkBeside& operator=(const WorkBeside&) = delete;
  // Drops what has not begun.
  ~WorkBeside() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  // Takes the batch, and leaves an empty one or null. False: the thread is behind, or the system has no more threads.
  bool Offer(std::unique_ptr<Batch>& batch) {
    if (!Begin()) return false;
    const std::scoped_lock lock(mutex_);
    if (waiting_ != nullptr) return false;
    waiting_ = std::exchange(batch, std::move(spare_));
    changed_.notify_all();
    return true;
  }

  // What has not begun, or null.
  std::unique_ptr<Batch> TakeBack() {
    const std::scoped_lock lock(mutex_);
    return std::move(waiting_);
  }

  // Waits for what has begun. REQUIRES: TakeBack has been called after the last Offer.
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !working_; });
  }

 private:
  bool Begin() {
    try {
      if (!thread_.joinable()) thread_ = std::jthread([this] { Work(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return waiting_ != nullptr || stopped_; });
      if (stopped_) return;
      std::unique_ptr<Batch> batch = std::move(waiting_);
      working_ = true;
      lock.unlock();
      work_(*batch);
      lock.lock();
      spare_ = std::move(batch);
      working_ = false;
      changed_.notify_all();
    }
  }

  const std::function<void(Batch&)> work_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Batch> waiting_, spare_;
  bool working_ = false, stopped_ = false;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace turnlog
