// Which seqs ReadOptions mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/try.h"
#include "turnlog/log.h"

namespace turnlog {

// Seqs first..last; none if last < first.
struct ReadRange {
  std::uint64_t first = 1, last = 0;
};

// In a conversation with these events and turns. `turn_start`: the seq of a turn's first event, as
// Result<std::optional<std::uint64_t>>; asked only for turns above 0.
template <class TurnStartFn>
Result<ReadRange> ReadRangeOf(const ReadOptions& options, std::uint64_t last, std::uint64_t turns,
                              TurnStartFn turn_start) {
  if (options.limit == 0) return ReadRange{};
  std::optional<std::uint64_t> turn;
  if (options.from_turn) turn = options.from_turn->value;
  if (options.last_turns) turn = *options.last_turns > turns ? 0 : turns - *options.last_turns + 1;
  ReadRange range{1, last};
  if (turn) {
    std::optional<std::uint64_t> start = 1;
    if (*turn > 0) start = *turn > turns ? std::nullopt : TURNLOG_TRY(turn_start(*turn));
    range.first = start.value_or(last + 1);
  } else if (options.backward) {
    if (options.from.value > 0) range.last = std::min(range.last, options.from.value);
  } else {
    range.first = std::max<std::uint64_t>(options.from.value, 1);
  }
  if (range.last >= range.first && range.last - range.first >= options.limit) {
    if (options.backward) {
      range.first = range.last - options.limit + 1;
    } else {
      range.last = range.first + options.limit - 1;
    }
  }
  return range;
}

}  // namespace turnlog
