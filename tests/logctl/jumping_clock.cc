// Loaded into a program ahead of the C library (LD_PRELOAD): its wall clock is wrong by the seconds in the file that
// TURNLOG_CLOCK_FILE names, which may change while it runs. The monotonic clock is right, as it is on a machine whose
// time is set.
#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): the functions used are those of C
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers)
#include <unistd.h>

#include <array>

namespace {

time_t WrongBy() {
  const char* const name = ::getenv("TURNLOG_CLOCK_FILE");
  const int file = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 32> text{};
  (void)!::read(file, text.data(), text.size() - 1);
  ::close(file);
  return ::strtoll(text.data(), nullptr, 10);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += WrongBy();
  return result;
}
