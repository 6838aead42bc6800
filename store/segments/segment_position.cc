#include "store/segments/segment_position.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace turnlog {
namespace {

bool ParseHex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<SegmentPosition> SegmentPosition::From(const Position& position) {
  const std::string_view text = position.ToText();
  const std::size_t dash = text.find('-');
  SegmentPosition parsed;
  if (dash == std::string_view::npos || !ParseHex(text.substr(0, dash), parsed.offset) ||
      !ParseHex(text.substr(dash + 1), parsed.fingerprint)) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              "a position in this store looks like 1f40-9b3c5a7e01d2f384, as printed by a tail; 0-0 is the beginning"});
  }
  return parsed;
}

// The text is always a valid position.
Position SegmentPosition::ToPosition() const { return *Position::Parse(fmt::format("{:x}-{:x}", offset, fingerprint)); }

}  // namespace turnlog
