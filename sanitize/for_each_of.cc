#include "sanitize/for_each_of.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <system_error>
#include <vector>

namespace turnlog {
namespace {

constexpr std::chrono::milliseconds kWaitEvery{100};

}  // namespace

void ForEachOf(std::size_t count, unsigned jobs, const std::function<bool(std::size_t)>& use,
               const std::function<void()>& wait) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count && use(i); i = next++) continue;
  };
  std::vector<std::future<void>> others;
  const auto begin_another = [&] {
    try {
      others.push_back(std::async(std::launch::async, work));
      return true;
    } catch (const std::system_error&) {
      return false;  // there are no more threads: fewer do the same
    }
  };
  while (others.size() + 1 < std::min<std::size_t>(jobs, count) && begin_another()) continue;
  work();
  for (std::future<void>& other : others) {
    while (wait && other.wait_for(kWaitEvery) != std::future_status::ready) wait();
    other.get();
  }
}

}  // namespace turnlog
