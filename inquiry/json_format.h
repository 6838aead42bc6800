// The formats of strings that JSON schemas may ask for.
#pragma once

#include <optional>
#include <string_view>

namespace turnlog {

// date-time, date, time, email, ipv4, ipv6, uri, uuid. None: there is no such format here.
std::optional<bool> HasFormat(std::string_view format, std::string_view text);

}  // namespace turnlog
