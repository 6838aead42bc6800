// Which of several sessions that begin with the same records had them first.
#pragma once

#include "migrate/format.h"

namespace turnlog {

// By what its records say; the times of files change when they are copied.
SourceAge ClaudeAge(Source& source);

}  // namespace turnlog
