// One loop over what a cursor or a tail returns.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <variant>

#include "turnlog/log.h"

namespace turnlog {

enum class Walk : std::uint8_t { kOn, kEnd };

// Calls `visit` with each item until it returns kEnd or an error, or nothing more is there: never with EndOfLog.
// `source`: a Cursor or a Tail. Visit: Result<Walk>(const Item&).
template <class Source, class Visit>
Status WalkItems(Source& source, Visit visit) {
  for (;;) {
    Result<Item> item = source.Next();
    if (!item) return std::unexpected(std::move(item).error());
    if (std::holds_alternative<EndOfLog>(*item)) return {};
    Result<Walk> walk = visit(std::as_const(*item));
    if (!walk) return std::unexpected(std::move(walk).error());
    if (*walk == Walk::kEnd) return {};
  }
}

using EventVisitor = std::function<Result<Walk>(const Record& record, const EventView& event)>;

// The same with decoded events, for readers who draw conclusions from all of them: erased events are skipped, and
// damage ends the walk with kCorruption, because the conclusions would be wrong without what is lost.
Status WalkEvents(Cursor& cursor, const EventVisitor& visit);

}  // namespace turnlog
