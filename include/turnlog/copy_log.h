// Copies a log into another one, of any engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// A conversation that is not, or not completely, in the copy.
struct CopyProblem {
  std::string conversation;
  std::uint64_t seq = 0;  // where; 0: unknown
  std::string reason;     // one line for people
};

struct CopyReport {
  std::uint64_t conversations = 0, events = 0;  // proven equal
  std::uint64_t copied_events = 0;              // of them, by this call
  std::vector<CopyProblem> problems;
};

// Appends to `to` what it lacks of each conversation, then reads both again and compares every event. After an
// interruption, another call goes on where this one stopped. A conversation that has other events in `to`, or damage or
// an erased question in `from`, is a problem, and is left as it is; the others are copied. If the answer to a question
// that is still there was erased, the question is open in the copy, which is a problem, too. `to` gets the current
// contents of redacted events, redacted by the same `redaction` event, and for erased ones an erased event of the same
// kind. Not copied: watermarks of consumers. What `to` has of other conversations stays. `progress`: in events. Memory:
// a few MiB, the largest event, or what one redaction has replaced.
Result<CopyReport> CopyLog(Log& from, Log& to, const Progress& progress = {});

}  // namespace turnlog
