// Selects the engine of a location.
#include "turnlog/open_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "turnlog/segment_log.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/sql_log.h"

namespace turnlog {
namespace {

bool IsSchemeLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
}

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

// The part before the colon in "SCHEME:...", as in a URL; empty if the location is a path. Capitals are letters of a
// scheme only in "SCHEME://...".
std::string_view SchemeOf(std::string_view location) {
  const std::size_t colon = location.find(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  const bool is_url = location.substr(colon).starts_with("://");
  const auto is_letter = [&](char c) { return IsSchemeLetter(c) || (is_url && IsCapital(c)); };
  const std::string_view scheme = location.substr(0, colon);
  const bool begins = (scheme[0] >= 'a' && scheme[0] <= 'z') || IsCapital(scheme[0]);
  return begins && std::ranges::all_of(scheme, is_letter) ? scheme : std::string_view();
}

// A folder whose writer is a service is written through the service. Readers need none: they work beside any writer.
Result<std::unique_ptr<Log>> OpenFolder(const std::string& folder, const OpenOptions& options) {
  auto log = OpenSegmentLog(folder, {.mode = options.mode, .holder = options.holder});
  if (log || log.error().code != ErrorCode::kBusy) return log;
  auto remote = OpenRemoteLog("unix:" + ServiceSocket(folder).string(), {.mode = options.mode, .token = {}});
  return remote ? std::move(remote) : std::move(log);
}

}  // namespace

Result<std::unique_ptr<Log>> OpenLog(const std::string& location, const OpenOptions& options) {
  if (location.empty())
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "the location of a log must not be empty"});
  if (IsSqlLocation(location)) return OpenSqlLog(location, {.mode = options.mode, .holder = options.holder});
  const std::string_view scheme = SchemeOf(location);
  if (scheme == "unix" || scheme == "http" || scheme == "https") {
    return OpenRemoteLog(location, {.mode = options.mode, .token = options.token});
  }
  if (!scheme.empty()) {
    return std::unexpected(
        Error{ErrorCode::kUnsupported,
              fmt::format("this build has no engine for \"{}:\", only for folders, services (unix:, http:, https:) and "
                          "postgresql: (write ./{}:... for a folder of that name)",
                          scheme, scheme)});
  }
  return OpenFolder(location, options);
}

}  // namespace turnlog
