// Maintenance that the service does by itself, one job after another, while requests are handled.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"
#include "turnlog/types.h"

namespace turnlog {

enum class JobState : std::uint8_t {
  kWaiting,
  kRunning,
  kDone,
  kFailed,
  kCancelled,  // it has ended before all was done; what was done stays
};

// "waiting", "running", "done", "failed", "cancelled".
std::string_view ToString(JobState state);

// What the work of a job sees of it.
class JobControl {
 public:
  // Whether the work must end now. Asked only while there is something left to do: once this is true, the job is
  // reported as cancelled. Any thread.
  bool cancelled();
  // For calls that report their progress. Must not outlive the job.
  Progress progress();
  void Advance(std::uint64_t done, std::uint64_t total);
  // A JSON object that is the job's result if its work fails after this. On the thread of the work.
  void SetResultOfFailure(std::string result) { result_of_failure_ = std::move(result); }

 private:
  friend class Jobs;
  std::string result_of_failure_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> heeded_ = false;  // the work has seen that
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
};

struct JobReport {
  std::string id;
  std::string kind;
  JobState state = JobState::kWaiting;
  std::uint64_t done = 0, total = 0;  // of the current step; total 0: not known
  Timestamp begun;
  std::optional<Timestamp> ended;
  std::string result;          // JSON, of a job that is done, and of some that have failed
  std::optional<Error> error;  // of one that has failed
};

// Threads: all members may be called from any thread at once.
class Jobs {
 public:
  // Gives a JSON object. What it gives after it was cancelled is its result so far.
  using Work = std::function<Result<std::string>(JobControl& control)>;

  Jobs() = default;
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs() { Stop(); }

  // Does it after those that wait. kBusy: too many do.
  Result<JobReport> Add(std::string kind, Work work, Timestamp now);
  // Those that have ended are kept until there are too many, or their results are too large.
  std::optional<JobReport> Find(std::string_view id) const;
  std::vector<JobReport> List() const;  // oldest first
  // One that waits is not begun; one that runs ends when it can. kNotFound: there is none. kConflict: it has ended.
  Status Cancel(std::string_view id, Timestamp now);
  // Cancels all, and waits for the one that runs. Nothing can be added any more.
  void Stop();

 private:
  struct Job {
    JobReport report;
    Work work;
    JobControl control;
  };
  using Entry = std::shared_ptr<Job>;

  void Run();
  void RunOne(std::unique_lock<std::mutex>& lock, const Entry& job);
  void Forget();
  Entry Lookup(std::string_view id) const;
  static JobReport ReportOf(const Job& job);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> jobs_;  // in the order in which they were added
  bool stopping_ = false;
  std::thread thread_;  // begun with the first job
};

}  // namespace turnlog
