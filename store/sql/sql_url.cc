#include "store/sql/sql_url.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string_view>

#include "turnlog/sql_log.h"

namespace turnlog {
namespace {

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

Options Parse(const std::string& url) {
  char* message = nullptr;  // would quote the URL
  Options options(PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
  PQfreemem(message);
  return options;
}

// Empty if it is not said.
std::string_view ValueOf(const Options& options, std::string_view keyword) {
  for (const PQconninfoOption* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (keyword == option->keyword && option->val != nullptr) return option->val;
  }
  return {};
}

// One for each host; 0 to 5 digits.
bool HasPorts(const Options& options) {
  return std::ranges::all_of(std::views::split(ValueOf(options, "port"), ','), [](const auto& port) {
    return std::ranges::distance(port) <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  });
}

// Whether there is an "@" before the options that does not end what libpq takes for user and password. It ends these at
// the first "@", and looks for that only up to the first "/".
bool HasStrayAt(std::string_view url) {
  if (!IsSqlLocation(url)) return false;
  url.remove_prefix(url.find("://") + 3);
  const std::size_t end = url.find_first_of("@/");
  if (end != std::string_view::npos && url[end] == '@') url.remove_prefix(end + 1);
  return url.substr(0, url.find('?')).contains('@');
}

}  // namespace

Status CheckSqlUrl(const std::string& url) {
  const Options options = Parse(url);
  if (options != nullptr && HasPorts(options) && !HasStrayAt(url)) return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument,
                               "not a valid PostgreSQL URL: it looks like "
                               "postgresql://USER@HOST:PORT/DATABASE?OPTION=VALUE, with %XX for special characters"});
}

bool HasSqlPassword(std::string_view location) {
  const std::string url(location);
  if (!CheckSqlUrl(url)) return location.contains('@');
  const Options options = Parse(url);
  return !ValueOf(options, "password").empty() || !ValueOf(options, "sslpassword").empty();
}

}  // namespace turnlog
