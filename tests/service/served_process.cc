// Serves a store until it is killed.
#include <unistd.h>

#include <cstdlib>

#include "turnlog/segment_log.h"
#include "turnlog/service/service.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto log = turnlog::OpenSegmentLog(argv[1], {.holder = "served"});
  if (!log) return 1;
  const auto service =
      turnlog::Service::Start(**log, {.socket = argv[2], .body_memory = std::strtoull(argv[3], nullptr, 10)});
  if (!service) return 1;
  for (;;) ::pause();
}
