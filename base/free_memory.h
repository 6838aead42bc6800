// What a process has freed and its C library has kept.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace turnlog {

// Gives it back to the system, of all threads. Takes milliseconds: for when much was freed that is not needed again.
inline void ReturnFreeMemory() {
#ifdef __GLIBC__
  (void)::malloc_trim(0);
#endif
}

}  // namespace turnlog
