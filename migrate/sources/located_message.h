#pragma once

#include <cstddef>
#include <string_view>

namespace turnlog {

// A parser's error message such as "byte 17: id is missing", split in two.
struct LocatedMessage {
  std::size_t byte = 0;
  std::string_view text;
};
LocatedMessage SplitLocation(std::string_view message);

}  // namespace turnlog
