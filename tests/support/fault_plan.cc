#include "tests/support/fault_plan.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

bool Counts(FaultMode mode, std::string_view operation) {
  switch (mode) {
    case FaultMode::kIoError:
      return true;
    case FaultMode::kNoSpace:
      return operation == "write" || operation == "allocate" || operation.starts_with("create");
    case FaultMode::kShortWrite:
      return operation == "write";
  }
  return true;
}

}  // namespace

bool FaultPlan::Counter::Step() {
  ++count;
  if (fail_at == 0 || count < fail_at) return false;
  return count == fail_at || extent == FaultExtent::kFromThenOn;
}

void FaultPlan::FailMutation(std::uint64_t n, FaultMode mode, FaultExtent extent) {
  const std::lock_guard lock(mutex_);
  mutations_ = {.fail_at = n, .extent = extent};
  mode_ = mode;
  failed_.clear();
}

void FaultPlan::FailRead(std::uint64_t n, FaultExtent extent) {
  const std::lock_guard lock(mutex_);
  reads_ = {.fail_at = n, .extent = extent};
  failed_.clear();
}

void FaultPlan::IgnoreReadsOf(std::string suffix) {
  const std::lock_guard lock(mutex_);
  ignored_suffix_ = std::move(suffix);
}

void FaultPlan::PauseAt(std::uint64_t n, std::function<void(std::string_view path)> before) {
  const std::lock_guard lock(mutex_);
  pause_at_ = n;
  pause_ = std::move(before);
}

void FaultPlan::Observe(std::function<void(std::string_view operation, std::string_view path)> observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

void FaultPlan::Heal() {
  const std::lock_guard lock(mutex_);
  mutations_ = {};
  reads_ = {};
  mode_ = FaultMode::kIoError;
  failed_.clear();
  broken_.clear();
}

void FaultPlan::BreakSector(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const std::lock_guard lock(mutex_);
  broken_.push_back({path, offset, offset + length});
}

bool FaultPlan::IsBroken(std::string_view path, std::uint64_t offset, std::uint64_t length) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(broken_, [&](const Sector& sector) {
    return sector.path == path && offset < sector.end && sector.begin < offset + length;
  });
}

std::uint64_t FaultPlan::mutations() const {
  const std::lock_guard lock(mutex_);
  return mutations_.count;
}

std::uint64_t FaultPlan::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_.count;
}

std::string FaultPlan::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

bool FaultPlan::MutationFails(std::string_view operation, std::string_view path) {
  if (observer_) observer_(operation, path);
  std::function<void(std::string_view path)> pause;
  bool fails = false;
  {
    const std::lock_guard lock(mutex_);
    if (!Counts(mode_, operation)) return false;
    fails = Note(mutations_.Step(), operation, path);
    if (mutations_.count == pause_at_) pause = std::exchange(pause_, {});
  }
  if (pause) pause(path);
  return fails;
}

bool FaultPlan::ReadFails(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (ignored_suffix_ && path.ends_with(*ignored_suffix_)) return false;
  return Note(reads_.Step(), "read", path);
}

FaultMode FaultPlan::mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

std::string_view FaultPlan::message() const {
  return mode() == FaultMode::kNoSpace ? "No space left on device" : "Input/output error";
}

bool FaultPlan::Note(bool fails, std::string_view operation, std::string_view path) {
  if (fails && failed_.empty()) failed_.append(operation).append(" ").append(path);
  return fails;
}

}  // namespace turnlog
