#include <fmt/format.h>

#include <charconv>

#include "turnlog/types.h"

namespace turnlog {
namespace {

bool ParseHex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<Position> Position::Parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  Position position;
  if (dash == std::string_view::npos || !ParseHex(text.substr(0, dash), position.offset) ||
      !ParseHex(text.substr(dash + 1), position.check)) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              "a position looks like 1f40-9b3c5a7e01d2f384, as printed by a tail; 0-0 is the start"});
  }
  return position;
}

std::string Position::ToText() const { return fmt::format("{:x}-{:x}", offset, check); }

}  // namespace turnlog
