#include "logctl/private_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace turnlog {

void KeepMemoryPrivate() {
  // A limit of 0 does not keep Linux from piping a core to a program (core_pattern); 1 does, and is no room for a file.
  constexpr rlim_t kNowhere = 1;
  const rlimit limit{kNowhere, kNowhere};
  // It cannot be raised above what our caller has set; then the stronger way, which takes debuggers away, too.
  if (::setrlimit(RLIMIT_CORE, &limit) != 0) (void)::prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace turnlog
