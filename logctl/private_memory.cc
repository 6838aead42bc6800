#include "logctl/private_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace turnlog {

void KeepMemoryPrivate() {
  // With a limit of 0 Linux still pipes a core to a program (core_pattern); with 1 it does not, and a file does not
  // fit.
  constexpr rlim_t kNowhere = 1;
  const rlimit limit{kNowhere, kNowhere};
  // Fails if the caller has set the hard limit to 0. Then the process becomes undumpable, which also keeps debuggers
  // away.
  if (::setrlimit(RLIMIT_CORE, &limit) != 0) (void)::prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace turnlog
