// Which files a tool call is about, as far as its arguments say so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

// The paths in the fields of `arguments` that agents' tools use for files, and in the headers of a patch; none if there
// is no such field. Commands of a shell are not parsed.
std::vector<std::string> TouchedFiles(std::string_view arguments);

}  // namespace turnlog
