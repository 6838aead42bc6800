#include "base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace turnlog {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void FutexWait(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
}

void FutexWake(const std::atomic<std::uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace turnlog
