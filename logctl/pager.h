// Long output on a terminal goes through a pager, as with git: PAGER, or less, which ends by itself if everything fits
// on the screen.
#pragma once

#include <sys/types.h>

namespace turnlog {

class Pager {
 public:
  // Starts none if PAGER is empty or `cat`.
  Pager();
  // Waits for the pager to end. REQUIRES: standard output is flushed.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  void Start(const char* command);
};

}  // namespace turnlog
