#include "sanitize/repair/insert_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace turnlog {

// Sorts indexes, because inserted events are large and std::stable_sort needs a buffer for all elements.
void SortInserts(std::vector<Insert>& inserts) {
  std::vector<std::size_t> order(inserts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(inserts[i].after, i); });
  std::vector<Insert> sorted;
  sorted.reserve(inserts.size());
  for (const std::size_t i : order) sorted.push_back(std::move(inserts[i]));
  inserts = std::move(sorted);
}

}  // namespace turnlog
