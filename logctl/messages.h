// Standard error: messages for people, and the progress of long work when somebody watches.
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

  // All texts are made printable here.
  void Note(std::string_view text);     // good to know; not with --quiet
  void Warn(std::string_view text);     // something is wrong, and the command goes on
  void Report(const Failure& failure);  // why the command failed, and what to do
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
