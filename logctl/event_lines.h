// Events as JSON lines on standard output, the form of `cat` and `tail`.
#pragma once

#include <string>

#include "logctl/command.h"
#include "turnlog/log.h"

namespace turnlog {

class EventLines {
 public:
  explicit EventLines(Context& context) : context_(context) {}

  // Writes the event; one that cannot be decoded is reported as an error.
  Expected<void> Add(const Record& record);
  // Says on standard error what is missing; the rest goes on.
  void Add(const Damage& damage);
  ExitCode exit_code() const { return damaged_ ? kFailed : kFine; }

 private:
  Context& context_;
  std::string line_;
  bool damaged_ = false;
};

}  // namespace turnlog
