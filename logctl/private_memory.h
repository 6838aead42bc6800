// For commands that hold secrets in memory.
#pragma once

namespace turnlog {

// From now on a crash of this process writes no core file.
void KeepMemoryPrivate();

}  // namespace turnlog
