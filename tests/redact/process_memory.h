// Looking for a value in the memory of this process.
#pragma once

#include <cstddef>
#include <string_view>

namespace turnlog {

// How often `first` is directly followed by `second` in writable memory. The value comes in two parts, so that the
// search does not find itself.
std::size_t CountInMemory(std::string_view first, std::string_view second);

}  // namespace turnlog
