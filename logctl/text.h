// Text for output: columns, cells, numbers and times. Stored text is made printable (base/printable.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "turnlog/types.h"

namespace turnlog {

std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(std::string text, std::size_t width);

// Line breaks and runs of white space as one space, then printable: for a cell of a table.
std::string OneLine(std::string_view text);
// The part of the printable `text` that fits into `columns`, in whole characters as people see them; ends with an
// ellipsis if it was cut.
std::string CutToWidth(std::string_view text, std::size_t columns);

// The longest prefix of whole characters that fits into `bytes`.
std::string_view Prefix(std::string_view text, std::size_t bytes);

std::string Thousands(std::uint64_t number);                      // 12,345
std::string HumanSize(std::uint64_t bytes);                       // 12.3 KiB
std::string Counted(std::uint64_t count, std::string_view noun);  // 1 event, 2 events
std::string DateOf(Timestamp time);                               // 2025-12-04, UTC
std::string ClockOf(Timestamp time);                              // 10:00:13, UTC

// For suggestions: the number of single-character edits between two texts, and the candidate that `text` most likely
// misspells or abbreviates.
std::size_t EditDistance(std::string_view a, std::string_view b);
std::optional<std::string> MostSimilar(std::string_view text, std::span<const std::string> candidates);

}  // namespace turnlog
