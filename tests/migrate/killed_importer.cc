// Imports a source into a store and is killed at its n-th operation that changes a file of the log: STORE FORMAT PATH
// N.
#include <signal.h>
#include <unistd.h>

#include <string>

#include "store/engine/event_log.h"
#include "tests/migrate/small_import.h"
#include "tests/support/fault_file_system.h"

int main(int count, char** words) {
  using namespace turnlog;
  if (count != 5) return 2;
  FaultFileSystem files(PosixFileSystem());
  files.PauseAt(std::stoull(words[4]), [](std::string_view) { ::kill(::getpid(), SIGKILL); });
  auto log = EventLog::Open(words[1], SmallSegments(), {.files = &files});
  if (!log) return 3;
  ImportSmall(**log, words[2], words[3]);
  return (*log)->Close() ? 0 : 4;
}
