// Values in the JSON body of a request, with errors that name the field.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "schema/json/json_scan.h"
#include "turnlog/result.h"

namespace turnlog {

inline std::unexpected<Error> WrongBody(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// REQUIRES of both: `json` is a valid JSON value.
inline Result<std::string> TextField(std::string_view name, std::string_view json) {
  if (!json.starts_with('"')) return WrongBody(fmt::format("{} must be a string", name));
  return UnescapeJson(json);
}

inline Result<bool> FlagField(std::string_view name, std::string_view json) {
  if (json == "true" || json == "false") return json == "true";
  return WrongBody(fmt::format("{} must be true or false", name));
}

}  // namespace turnlog
