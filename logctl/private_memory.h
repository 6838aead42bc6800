// For commands that hold secrets in memory.
#pragma once

namespace turnlog {

// From now on nothing of this process is written to a core file, should it crash.
void KeepMemoryPrivate();

}  // namespace turnlog
