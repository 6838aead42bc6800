// Serves a store until it is killed, or the test that started it ends: served_process STORE SOCKET [BODY_MEMORY]
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGKILL is POSIX
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "turnlog/segment_log.h"
#include "turnlog/service/service.h"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto log = turnlog::OpenSegmentLog(argv[1], {.holder = "served"});
  if (!log) return 1;
  turnlog::ServiceOptions options{.socket = argv[2]};
  if (argc == 4) options.body_memory = std::strtoull(argv[3], nullptr, 10);
  const auto service = turnlog::Service::Start(**log, std::move(options));
  if (!service) return 1;
  for (;;) ::pause();
}
