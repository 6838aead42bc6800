// Searches everything that an engine has stored for a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// Names of the objects that contain the text; an unreadable object fails the test.
std::vector<std::string> StoredObjectsWith(Log& log, std::string_view text);

}  // namespace turnlog
