// Loaded into a program ahead of the C library (LD_PRELOAD): fails one of its calls on files, or all from one on.
// TURNLOG_FAIL_CALL: which call fails, from 1 ("12"), or all from it on ("12+"). TURNLOG_COUNT_CALLS: a file that gets
// the number of calls when the program ends. Standard input, output and error do not count.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>   // NOLINT(modernize-deprecated-headers): the functions replaced are those of C
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers)
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>

namespace {

std::atomic<std::uint64_t> calls;

struct Plan {
  Plan() {
    const char* text = ::getenv("TURNLOG_FAIL_CALL");
    if (text == nullptr) return;
    char* end = nullptr;
    from = ::strtoull(text, &end, 10);
    to = *end == '+' ? UINT64_MAX : from;
  }
  std::uint64_t from = UINT64_MAX, to = 0;
};

bool Fails() {
  static const Plan plan;
  const std::uint64_t call = ++calls;
  return call >= plan.from && call <= plan.to;
}

template <class Function>
Function* Next(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The arguments go to the C library, unless this call fails with `error`.
template <class Value, class Function, class... Arguments>
Value Call(Function* function, const char* name, Value failed, int error, Arguments... arguments) {
  if (!Fails()) return Next(function, name)(arguments...);
  errno = error;
  return failed;
}

struct Report {
  ~Report() {
    const char* path = ::getenv("TURNLOG_COUNT_CALLS");
    if (path == nullptr) return;
    const std::uint64_t count = calls;
    FILE* file = Next(&::fopen, "fopen")(path, "w");
    if (file == nullptr) return;
    (void)::fprintf(file, "%llu\n", static_cast<unsigned long long>(count));
    (void)::fclose(file);
  }
} report;

}  // namespace

#define TURNLOG_REPLACE(result, name, parameters, failed, error, ...) \
  extern "C" result name parameters { return Call<result>(&::name, #name, failed, error, __VA_ARGS__); }

TURNLOG_REPLACE(DIR*, opendir, (const char* path), nullptr, EMFILE, path)
TURNLOG_REPLACE(FILE*, fopen, (const char* path, const char* mode), nullptr, EMFILE, path, mode)
TURNLOG_REPLACE(ssize_t, pread, (int fd, void* out, size_t size, off_t at), -1, EIO, fd, out, size, at)
TURNLOG_REPLACE(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at), -1, ENOSPC, fd, data, size, at)
TURNLOG_REPLACE(int, fsync, (int fd), -1, EIO, fd)
TURNLOG_REPLACE(int, fdatasync, (int fd), -1, EIO, fd)
TURNLOG_REPLACE(int, ftruncate, (int fd, off_t size), -1, EIO, fd, size)
TURNLOG_REPLACE(int, posix_fallocate, (int fd, off_t at, off_t size), ENOSPC, ENOSPC, fd, at, size)
TURNLOG_REPLACE(int, fallocate, (int fd, int mode, off_t at, off_t size), -1, ENOSPC, fd, mode, at, size)
TURNLOG_REPLACE(int, rename, (const char* from, const char* to) noexcept, -1, EIO, from, to)
TURNLOG_REPLACE(int, unlink, (const char* path) noexcept, -1, EIO, path)
TURNLOG_REPLACE(int, mkdir, (const char* path, mode_t mode) noexcept, -1, ENOSPC, path, mode)
TURNLOG_REPLACE(int, link, (const char* from, const char* to) noexcept, -1, EIO, from, to)
TURNLOG_REPLACE(int, flock, (int fd, int operation) noexcept, -1, ENOLCK, fd, operation)
TURNLOG_REPLACE(int, fstat, (int fd, struct stat* status) noexcept, -1, EIO, fd, status)
TURNLOG_REPLACE(int, lstat, (const char* path, struct stat* status) noexcept, -1, EIO, path, status)

extern "C" ssize_t read(int fd, void* out, size_t size) {
  if (fd <= STDERR_FILENO) return Next(&::read, "read")(fd, out, size);
  return Call(&::read, "read", ssize_t{-1}, EIO, fd, out, size);
}

extern "C" ssize_t write(int fd, const void* data, size_t size) {
  if (fd <= STDERR_FILENO) return Next(&::write, "write")(fd, data, size);
  return Call(&::write, "write", ssize_t{-1}, ENOSPC, fd, data, size);
}

extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Call(&::open, "open", -1, EMFILE, path, flags, mode);
}
