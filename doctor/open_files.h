// Which processes have a file open.
#pragma once

#include <sys/stat.h>

#include <optional>

namespace turnlog {

// A process that has the file open, other than this one; nothing if there is none that this user may look at.
std::optional<int> FindProcessWith(const struct stat& file);

}  // namespace turnlog
