// The turns that a compaction names, read from and written into its otherwise verbatim JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

// Indexes of turns, from 0, both included.
struct CompactionRange {
  std::uint64_t from = 0, to = 0;
};

// Nothing if `from_turn` and `to_turn` are not both there as unsigned integers.
std::optional<CompactionRange> ReadCompactionRange(std::string_view json);

// The same text with other numbers. REQUIRES: ReadCompactionRange(json) finds a range.
std::string WithCompactionRange(std::string_view json, CompactionRange range);

}  // namespace turnlog
