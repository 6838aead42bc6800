// Where an index differs from one that was made from the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "store/index/index_base.h"

namespace turnlog {

struct IndexDifferences {
  std::uint64_t entries = 0;       // of the index that should follow from the log
  std::uint64_t count = 0;         // of differences
  std::vector<std::string> first;  // the first ones, one line each

  void Add(std::string text);

  static constexpr std::size_t kListed = 1'000;
};

// Fails if `rebuilt` cannot be read. Compares on all processors, the entries of one key space on one of them.
Result<IndexDifferences> CompareIndexes(const IndexBase& index, const IndexBase& rebuilt);

}  // namespace turnlog
