// What a URL says before anything is connected.
#pragma once

#include <string>

#include "turnlog/result.h"

namespace turnlog {

// kInvalidArgument: not a URL, or one that libpq would read otherwise than it was meant, such as one whose password has
// a "/" that is not escaped: libpq's own messages would quote a part of it. The message does not.
Status CheckSqlUrl(const std::string& url);

}  // namespace turnlog
