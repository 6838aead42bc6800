// Long output on a terminal goes through a pager, as with git: PAGER says which, else less, which ends by itself if
// everything fits on the screen.
#pragma once

#include <sys/types.h>

namespace turnlog {

class Pager {
 public:
  // Nothing happens if there is none: PAGER is empty or `cat`.
  Pager();
  // Waits until the reader has seen enough. What was written must have been flushed.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  void Start(const char* command);
};

}  // namespace turnlog
