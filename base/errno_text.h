// The system's description of an error number.
#pragma once

#include <string>

namespace turnlog {

// Works at any time, also at exit, when the error categories of the standard library may be gone.
std::string ErrnoText(int error);

}  // namespace turnlog
