// Looking for a text in everything that an engine has stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// Names of the objects that hold the text as it is; what cannot be searched is a failure of the test.
std::vector<std::string> StoredObjectsWith(Log& log, std::string_view text);

}  // namespace turnlog
