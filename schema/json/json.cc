#include "turnlog/json.h"

#include <string>

#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {

Result<Json> ParseJson(std::string_view text) {
  if (const auto fault = FindJsonFault(text)) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "JSON: byte " + std::to_string(fault->byte) + ": " + fault->what});
  }
  const std::size_t begin = SkipJsonSpace(text, 0);
  const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
  return Json::FromTrusted(std::string(text.substr(begin, end - begin)));
}

Json JsonString(std::string_view text) {
  std::string out;
  JsonWriter(out).String(text);
  return Json::FromTrusted(std::move(out));
}

}  // namespace turnlog
