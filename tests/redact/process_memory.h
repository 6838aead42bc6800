// Looking for a value in the memory of this process. The value comes in two parts, so that the search does not find
// itself.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>

namespace turnlog {

// How often `first` is directly followed by `second` in writable memory, of this process or of a child.
std::size_t CountInMemory(std::string_view first, std::string_view second, pid_t child = 0);

// Counts memory that is freed by `delete` while it holds the value: what other code then leaves of it depends on luck.
// One at a time.
class FreedMemoryWatch {
 public:
  FreedMemoryWatch(std::string_view first, std::string_view second);
  FreedMemoryWatch(const FreedMemoryWatch&) = delete;
  FreedMemoryWatch& operator=(const FreedMemoryWatch&) = delete;
  ~FreedMemoryWatch();

  static std::size_t found();
};

}  // namespace turnlog
