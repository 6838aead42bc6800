// Long output on a terminal goes through a pager, as with git: PAGER, or less, which ends by itself if everything fits
// on the screen. If it cannot be run, the output is shown as it is.
#pragma once

#include <sys/types.h>

#include <string_view>

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
  void Start(std::string_view command);
};

}  // namespace turnlog
