#include "store/engine/open_logs.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace turnlog {
namespace {

struct OpenLogs {
  std::mutex mutex;
  std::map<Log*, pid_t> logs;  // by which process each was opened: a fork has them, but not their threads
};

// Never destroyed: logs may be closed after every other global is gone.
OpenLogs& All() {
  static auto* const all = new OpenLogs;
  return *all;
}

void CloseAll() {
  OpenLogs& all = All();
  const std::scoped_lock lock(all.mutex);
  for (const auto& [log, process] : all.logs) {
    if (process == ::getpid()) (void)log->Close();  // there is no caller to return an error to
  }
  all.logs.clear();
}

}  // namespace

void CloseAtExit(Log& log) {
  OpenLogs& all = All();
  const std::scoped_lock lock(all.mutex);
  static const bool registered = std::atexit(CloseAll) == 0;
  if (registered) all.logs.insert_or_assign(&log, ::getpid());
}

void ForgetAtExit(Log& log) {
  OpenLogs& all = All();
  const std::scoped_lock lock(all.mutex);
  all.logs.erase(&log);
}

}  // namespace turnlog
