// Work on numbered things, divided among threads.
#pragma once

#include <cstddef>
#include <functional>

namespace turnlog {

// Calls `use` for 0 to `count`-1 on up to `jobs` threads, of which this is one, until it returns false, which each
// thread sees for itself. `wait`, if there is one, is called on this thread every tenth of a second while only the
// others are still at work.
void ForEachOf(std::size_t count, unsigned jobs, const std::function<bool(std::size_t)>& use,
               const std::function<void()>& wait = {});

}  // namespace turnlog
