#include "tests/redact/process_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): memmem is GNU's
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

namespace turnlog {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLargest = std::size_t{64} << 30;  // a mapping beyond it is what a sanitizer reserves for itself

std::size_t CountIn(std::string_view bytes, std::string_view first, std::string_view second) {
  std::size_t count = 0;
  for (std::size_t at = bytes.find(first); at != std::string_view::npos; at = bytes.find(first, at + 1)) {
    if (bytes.substr(at + first.size()).starts_with(second)) ++count;
  }
  return count;
}

struct Watched {
  std::string_view first, second;
  std::atomic<std::size_t> found{0};
};
std::atomic<Watched*> watched_value = nullptr;

// Sees the whole of each block of memory, whatever its owner used of it.
[[maybe_unused]] void Free(void* memory) {
  if (Watched* const watched = watched_value; watched != nullptr && memory != nullptr) {
    const std::string_view bytes(static_cast<const char*>(memory), ::malloc_usable_size(memory));
    watched->found += CountIn(bytes, watched->first, watched->second);
  }
  std::free(memory);
}

}  // namespace

FreedMemoryWatch::FreedMemoryWatch(std::string_view first, std::string_view second) {
  static Watched watched;
  watched.first = first;
  watched.second = second;
  watched.found = 0;
  watched_value = &watched;
}

FreedMemoryWatch::~FreedMemoryWatch() { watched_value = nullptr; }

std::size_t FreedMemoryWatch::found() { return watched_value.load()->found; }

std::size_t CountInMemory(std::string_view first, std::string_view second, pid_t child) {
  const std::string process = child == 0 ? "/proc/self/" : "/proc/" + std::to_string(child) + "/";
  const std::size_t overlap = first.size() + second.size() - 1;
  void* const room = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int memory = ::open((process + "mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (room == MAP_FAILED || memory < 0) throw std::runtime_error("no access to the memory of the process");
  const auto own = reinterpret_cast<std::uintptr_t>(room);
  std::size_t count = 0;
  std::ifstream maps(process + "maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[1] != 'w' ||
        end - begin > kLargest)
      continue;
    for (std::uintptr_t at = begin; at < end; at += kPiece - overlap) {
      const std::size_t size = std::min<std::size_t>(kPiece, end - at);
      if (child == 0 && at < own + kPiece && own < at + size)
        continue;  // the copy itself; it is a mapping of its own or between others
      const ssize_t got = ::pread(memory, room, size, static_cast<off_t>(at));
      if (got > 0) count += CountIn({static_cast<const char*>(room), static_cast<std::size_t>(got)}, first, second);
    }
  }
  (void)::close(memory);
  (void)::munmap(room, kPiece);
  return count;
}

}  // namespace turnlog

// All of them: address sanitizer checks that memory is freed as it was allocated. Thread sanitizer has its own, which
// cannot be replaced: nothing is watched there.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TURNLOG_OWN_OPERATORS 0
#endif
#endif
#ifndef TURNLOG_OWN_OPERATORS
#define TURNLOG_OWN_OPERATORS 1
#endif

#if TURNLOG_OWN_OPERATORS
void* operator new(std::size_t size) {
  if (void* const memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const std::size_t at_least = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  if (::posix_memalign(&memory, at_least, std::max<std::size_t>(size, 1)) == 0) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { turnlog::Free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { turnlog::Free(memory); }
void operator delete(void* memory) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { turnlog::Free(memory); }
void operator delete[](void* memory) noexcept { turnlog::Free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { turnlog::Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { turnlog::Free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { turnlog::Free(memory); }
#endif
