// The one place that knows all engines.
#include "turnlog/open_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

bool IsSchemeLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
}

// What stands before the colon in "SCHEME:...", as in a URL; empty if the place is a path.
std::string_view SchemeOf(std::string_view place) {
  const std::size_t colon = place.find(':');
  if (colon == std::string_view::npos || colon < 2 || place[0] < 'a' || place[0] > 'z') return {};
  const std::string_view scheme = place.substr(0, colon);
  return std::ranges::all_of(scheme, IsSchemeLetter) ? scheme : std::string_view();
}

}  // namespace

Result<std::unique_ptr<Log>> OpenLog(const std::string& place, const OpenOptions& options) {
  if (place.empty()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "a log's place must not be empty"});
  if (const std::string_view scheme = SchemeOf(place); !scheme.empty()) {
    return std::unexpected(
        Error{ErrorCode::kUnsupported,
              fmt::format("this build has no engine for \"{}:\": it opens folders only (write ./{}:... "
                          "for a folder of that name)",
                          scheme, scheme)});
  }
  return OpenSegmentLog(place, {.mode = options.mode, .holder = options.holder});
}

}  // namespace turnlog
