// An environment for RocksDB whose background jobs have one order among the operations of a single thread: a flush runs
// while its caller waits for it, as always, and a compaction runs when RunJobs is called. A flush that fails cleans up
// after its caller has gone on; RunJobs waits for that.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/no_retry_env.h"

namespace turnlog {

class OrderedEnv final : public NoRetryEnv {
 public:
  using NoRetryEnv::NoRetryEnv;

  void Schedule(void (*job)(void*), void* argument, Priority priority, void* tag, void (*undo)(void*)) override {
    const std::lock_guard lock(mutex_);
    if (priority != Priority::HIGH) return jobs_.push_back({job, argument, tag, undo});
    ++flushes_;
    auto flush = std::make_unique<Flush>(Flush{*this, {job, argument, tag, undo}});
    NoRetryEnv::Schedule(&RunFlush, flush.release(), priority, tag, &UndoFlush);
  }

  int UnSchedule(void* tag, Priority priority) override {
    if (priority == Priority::HIGH) return NoRetryEnv::UnSchedule(tag, priority);
    std::vector<Job> undone;
    {
      const std::lock_guard lock(mutex_);
      for (const Job& job : jobs_) {
        if (job.tag == tag) undone.push_back(job);
      }
      std::erase_if(jobs_, [tag](const Job& job) { return job.tag == tag; });
    }
    for (const Job& job : undone) {
      if (job.undo != nullptr) job.undo(job.argument);
    }
    return static_cast<int>(undone.size());
  }

  // On the calling thread, which must not be inside of RocksDB.
  void RunJobs() {
    AwaitFlushes();
    while (const std::optional<Job> job = Next()) job->run(job->argument);
  }

 private:
  struct Job {
    void (*run)(void*);
    void* argument;
    void* tag;
    void (*undo)(void*);
  };

  struct Flush {
    OrderedEnv& env;
    Job job;
  };

  static void RunFlush(void* argument) {
    const std::unique_ptr<Flush> flush(static_cast<Flush*>(argument));
    flush->job.run(flush->job.argument);
    flush->env.EndFlush();
  }

  static void UndoFlush(void* argument) {
    const std::unique_ptr<Flush> flush(static_cast<Flush*>(argument));
    if (flush->job.undo != nullptr) flush->job.undo(flush->job.argument);
    flush->env.EndFlush();
  }

  void EndFlush() {
    const std::lock_guard lock(mutex_);
    --flushes_;
    flush_ended_.notify_all();
  }

  void AwaitFlushes() {
    std::unique_lock lock(mutex_);
    flush_ended_.wait(lock, [this] { return flushes_ == 0; });
  }

  std::optional<Job> Next() {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return std::nullopt;
    const Job job = jobs_.front();
    jobs_.pop_front();
    return job;
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable flush_ended_;
  int flushes_ = 0;
  std::deque<Job> jobs_;
};

}  // namespace turnlog
