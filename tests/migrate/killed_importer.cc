// Imports a source into a store, with `auto` a folder on several threads, and is killed at its n-th operation that
// changes a file of the log: STORE FORMAT PATH N.
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
  const std::filesystem::path from = words[3];
  if (std::string_view(words[2]) == "auto") {
    if (!Import(**log, "auto", {&from, 1}, {.progress = {}, .threads = 4})) return 5;
  } else {
    ImportSmall(**log, words[2], from);
  }
  return (*log)->Close() ? 0 : 4;
}
