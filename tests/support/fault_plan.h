// Decides which operation fails. Shared by all doubles that inject faults; any thread may call any member.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

enum class FaultMode {
  kIoError,     // "Input/output error", nothing done
  kNoSpace,     // "No space left on device": only what needs space counts and fails (write, allocate, create)
  kShortWrite,  // half of the data is written, then "Input/output error"; only writes count and fail
};

enum class FaultExtent {
  kOnce,        // the n-th alone
  kFromThenOn,  // the n-th and all later ones, as if the machine had stopped there
};

class FaultPlan {
 public:
  // The n-th operation from now on fails, counted from 1.
  void FailMutation(std::uint64_t n, FaultMode mode = FaultMode::kIoError, FaultExtent extent = FaultExtent::kOnce);
  void FailRead(std::uint64_t n, FaultExtent extent = FaultExtent::kOnce);
  // Reads of files whose path ends like this neither count nor fail: those of another thread, for example.
  void IgnoreReadsOf(std::string suffix);
  // Calls `before` with the file's path ahead of the n-th mutation counted, on its thread, once. Call it after
  // FailMutation.
  void PauseAt(std::uint64_t n, std::function<void(std::string_view path)> before);
  // Calls `observer` ahead of every mutation, on its thread, whether or not it fails. Call it before anything else.
  void Observe(std::function<void(std::string_view operation, std::string_view path)> observer);
  // Reads that touch these bytes of the file fail as on a bad sector, until Heal.
  void BreakSector(const std::string& path, std::uint64_t offset, std::uint64_t length);
  // Nothing fails any more; counting starts again.
  void Heal();

  std::uint64_t mutations() const;  // counted since the last FailMutation or Heal, failed ones included
  std::uint64_t reads() const;      // the same since the last FailRead or Heal
  std::string failed() const;       // the first failed operation, as "sync <path>"; empty if none

  // For the doubles: counts an operation and returns whether it must fail.
  bool MutationFails(std::string_view operation, std::string_view path);
  bool ReadFails(std::string_view path);
  bool IsBroken(std::string_view path, std::uint64_t offset, std::uint64_t length) const;
  FaultMode mode() const;
  std::string_view message() const;

 private:
  struct Counter {
    std::uint64_t count = 0;
    std::uint64_t fail_at = 0;  // 0: never
    FaultExtent extent = FaultExtent::kOnce;
    bool Step();
  };
  bool Note(bool fails, std::string_view operation, std::string_view path);

  mutable std::mutex mutex_;
  Counter mutations_;
  Counter reads_;
  std::optional<std::string> ignored_suffix_;
  FaultMode mode_ = FaultMode::kIoError;
  std::string failed_;
  struct Sector {
    std::string path;
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Sector> broken_;
  std::function<void(std::string_view operation, std::string_view path)> observer_;
  std::uint64_t pause_at_ = 0;
  std::function<void(std::string_view path)> pause_;
};

}  // namespace turnlog
