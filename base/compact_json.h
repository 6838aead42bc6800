// JSON texts without white space between their tokens: to compare them, or to show them on one line.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

// REQUIRES: `json` is valid.
std::string CompactJson(std::string_view json);

}  // namespace turnlog
