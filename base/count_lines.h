// The number of line breaks in a text.
#pragma once

#include <cstdint>
#include <string_view>

namespace turnlog {

// Several times as fast as std::count, which g++ does not vectorize at -O2.
inline std::uint64_t CountLines(std::string_view text) {
  std::uint64_t lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) ++lines;
  return lines;
}

}  // namespace turnlog
