#include <algorithm>

#include "turnlog/types.h"

namespace turnlog {

Result<Position> Position::Parse(std::string_view text) {
  const bool printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  if (text.empty() || text.size() > kMaxPositionBytes || !printable) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "not a position as printed by a tail; 0-0 is the beginning"});
  }
  return Position(text);
}

}  // namespace turnlog
