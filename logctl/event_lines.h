// Events as JSON lines on standard output, the form of `cat` and `tail`.
#pragma once

#include <string>

#include "logctl/command.h"
#include "turnlog/log.h"

namespace turnlog {

class EventLines {
 public:
  explicit EventLines(Context& context) : context_(context) {}

  // REQUIRES: not EndOfLog. Writes the event, or a mark for an erased one. Reports damage on standard error.
  Expected<void> Add(const Item& item);
  ExitCode exit_code() const { return damaged_ ? kFailed : kFine; }

 private:
  void Report(const Damage& damage);
  void Write(const EventView& event, std::string_view conversation, Seq seq);

  Context& context_;
  std::string line_;
  bool damaged_ = false;
};

}  // namespace turnlog
