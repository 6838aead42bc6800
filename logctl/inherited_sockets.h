// Listening sockets that a service manager passes on (systemd's socket activation).
#pragma once

#include <vector>

namespace turnlog {

// Their descriptors, if LISTEN_PID and LISTEN_FDS are for this process. Programs that it starts get neither.
std::vector<int> TakeInheritedSockets();

}  // namespace turnlog
