#include "service/jobs.h"

#include <algorithm>
#include <utility>

#include "service/call.h"
#include "service/digest.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostWaiting = 16, kMostEnded = 64;
constexpr std::size_t kMostResultBytes = std::size_t{64} << 20;  // of all that are kept; the last one is kept anyway
constexpr std::size_t kIdBytes = 8;

bool HasEnded(const JobReport& report) {
  return report.state != JobState::kWaiting && report.state != JobState::kRunning;
}

}  // namespace

std::string_view ToString(JobState state) {
  switch (state) {
    case JobState::kWaiting:
      return "waiting";
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "";
}

bool JobControl::cancelled() {
  if (!cancelled_) return false;
  heeded_ = true;
  return true;
}

Progress JobControl::progress() {
  return [this](std::uint64_t done, std::uint64_t total) { Advance(done, total); };
}

void JobControl::Advance(std::uint64_t done, std::uint64_t total) {
  total_ = total;
  done_ = done;
}

Result<JobReport> Jobs::Add(std::string kind, Work work, Timestamp now) {
  const std::scoped_lock lock(mutex_);
  const auto waiting = std::ranges::count_if(jobs_, [](const Entry& job) { return !HasEnded(job->report); });
  if (stopping_ || static_cast<std::size_t>(waiting) >= kMostWaiting) {
    return std::unexpected(Error{ErrorCode::kBusy, "too many jobs wait: try again when one has ended"});
  }
  auto job = std::make_shared<Job>();
  job->report.id = RandomHex(kIdBytes);
  job->report.kind = std::move(kind);
  job->report.begun = now;
  job->work = std::move(work);
  jobs_.push_back(job);
  Forget();
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
  return ReportOf(*job);
}

// Jobs end in their order, but for those that are cancelled while they wait, which have no result.
void Jobs::Forget() {
  std::size_t ended = 0, bytes = 0;
  for (const Entry& job : jobs_) {
    ended += HasEnded(job->report) ? 1 : 0;
    bytes += job->report.result.size();
  }
  for (auto job = jobs_.begin(); ended > kMostEnded || (bytes > kMostResultBytes && ended > 1);) {
    if (!HasEnded((*job)->report)) {
      ++job;
      continue;
    }
    bytes -= (*job)->report.result.size();
    job = jobs_.erase(job);
    --ended;
  }
}

Jobs::Entry Jobs::Lookup(std::string_view id) const {
  const auto found = std::ranges::find_if(jobs_, [&](const Entry& job) { return job->report.id == id; });
  return found == jobs_.end() ? nullptr : *found;
}

JobReport Jobs::ReportOf(const Job& job) {
  JobReport report = job.report;
  report.done = job.control.done_;
  report.total = job.control.total_;
  return report;
}

std::optional<JobReport> Jobs::Find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const Entry job = Lookup(id);
  return job == nullptr ? std::nullopt : std::optional(ReportOf(*job));
}

std::vector<JobReport> Jobs::List() const {
  const std::scoped_lock lock(mutex_);
  std::vector<JobReport> reports;
  for (const Entry& job : jobs_) reports.push_back(ReportOf(*job));
  return reports;
}

Status Jobs::Cancel(std::string_view id, Timestamp now) {
  const std::scoped_lock lock(mutex_);
  const Entry job = Lookup(id);
  if (job == nullptr) return std::unexpected(Error{ErrorCode::kNotFound, "there is no such job"});
  if (HasEnded(job->report)) return std::unexpected(Error{ErrorCode::kConflict, "the job has ended"});
  job->control.cancelled_ = true;
  if (job->report.state == JobState::kRunning) return {};
  job->report.state = JobState::kCancelled;
  job->report.ended = now;
  job->work = {};
  return {};
}

void Jobs::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto waits = [](const Entry& job) { return job->report.state == JobState::kWaiting; };
    changed_.wait(lock, [&] { return stopping_ || std::ranges::any_of(jobs_, waits); });
    if (stopping_) return;
    RunOne(lock, *std::ranges::find_if(jobs_, waits));
  }
}

void Jobs::RunOne(std::unique_lock<std::mutex>& lock, const Entry& entry) {
  // Keeps it while it runs: without the lock, others may remove it from jobs_.
  const Entry job = entry;  // NOLINT(performance-unnecessary-copy-initialization)
  job->report.state = JobState::kRunning;
  lock.unlock();
  Result<std::string> result = job->work(job->control);
  job->work = {};  // which may hold values to redact
  lock.lock();
  job->report.ended = TimeNow();
  if (!result) {
    job->report.state = JobState::kFailed;
    job->report.error = std::move(result.error());
    job->report.result = std::exchange(job->control.result_of_failure_, {});
    Forget();
    return;
  }
  job->report.state = job->control.heeded_ ? JobState::kCancelled : JobState::kDone;
  job->report.result = *std::move(result);
  Forget();
}

void Jobs::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    for (const Entry& job : jobs_) job->control.cancelled_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace turnlog
