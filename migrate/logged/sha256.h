#pragma once

#include <string>
#include <string_view>

namespace turnlog {

// 32 bytes.
std::string Sha256(std::string_view text);

}  // namespace turnlog
