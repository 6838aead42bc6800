// Standard error: messages, and on a terminal the progress of long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "logctl/errors.h"
#include "logctl/output.h"
#include "turnlog/damage.h"

namespace turnlog {

class Messages {
 public:
  Messages(ColorMode mode, bool quiet);

  // These make their texts printable.
  void Note(std::string_view text);     // information; not with --quiet
  void Warn(std::string_view text);     // a problem; the command continues
  void Report(const Failure& failure);  // why the command failed, and a hint
  void Report(const Damage& damage);
  void Report(const Error& error) { Report(Failure(error)); }

  // A bar on a terminal, nothing elsewhere. Cheap to call often.
  void Progress(std::string_view doing, std::uint64_t done, std::uint64_t total);
  void EndProgress();

 private:
  void Print(std::string_view line);

  bool terminal_;
  bool color_;
  bool quiet_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point bar_time_{};
};

}  // namespace turnlog
