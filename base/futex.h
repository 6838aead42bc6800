// Sleeping until a word of memory changes. Unlike std::atomic::wait it does not look a few times more before it sleeps,
// with a sched_yield each time: where many threads wait for a disk or a server, that takes the processor from those
// that are at work.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace turnlog {

// Returns when `word` is not `old`, or for no reason.
void FutexWait(const std::atomic<std::uint32_t>& word, std::uint32_t old);
// Wakes so many of those that wait for `word`.
void FutexWake(const std::atomic<std::uint32_t>& word, int threads = std::numeric_limits<int>::max());

}  // namespace turnlog
