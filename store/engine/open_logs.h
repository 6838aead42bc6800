// The logs that are open in this process, to be closed when it exits. A log that a global variable owns is destroyed
// after RocksDB's own globals, without which its index cannot be written; and threads that outlive main go on using
// logs when those are gone.
#pragma once

#include "turnlog/log.h"

namespace turnlog {

// REQUIRES: RocksDB has been used, so that what is registered to be done at exit is done before its globals go.
void CloseAtExit(Log& log);
// Before the log is destroyed. Waits if it is being closed.
void ForgetAtExit(Log& log);

}  // namespace turnlog
