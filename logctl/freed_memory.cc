#include "logctl/freed_memory.h"

#include <malloc.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

namespace turnlog {
namespace {

std::atomic<bool> wipes = false;

[[maybe_unused]] void Free(void* memory) {
  if (memory != nullptr && wipes.load(std::memory_order_relaxed))
    ::explicit_bzero(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void WipeFreedMemory() { wipes = true; }

void KeepFreedMemory() {
#ifdef M_TRIM_THRESHOLD
  constexpr int kTrimmedAbove = 32 << 20, kMappedAbove = 32 << 20;
  (void)::mallopt(M_TRIM_THRESHOLD, kTrimmedAbove);
  (void)::mallopt(M_MMAP_THRESHOLD, kMappedAbove);
  // What one thread has freed is of no use to those with other arenas, of which there are eight for each processor;
  // with fewer than these, threads wait for one another.
  (void)::mallopt(M_ARENA_MAX, static_cast<int>(1 + std::max(1U, std::thread::hardware_concurrency())));
#endif
}

}  // namespace turnlog

// Sanitizers replace these themselves, and check that memory is freed as it was allocated.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TURNLOG_SANITIZED 1
#endif
#endif
#ifndef TURNLOG_SANITIZED
void* operator new(std::size_t size) {
  if (void* const memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const std::size_t at_least = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  if (::posix_memalign(&memory, at_least, std::max<std::size_t>(size, 1)) == 0) return memory;
  throw std::bad_alloc();
}
// The forms for arrays, and those that throw nothing, call these.
void operator delete(void* memory) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { turnlog::Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { turnlog::Free(memory); }
#endif
#endif
