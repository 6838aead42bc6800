#include "turnlog/service/remote_compression.h"

#include <string>

#include "base/try.h"
#include "remote/remote_log.h"
#include "schema/json/json_writer.h"

namespace turnlog {

Status SetCompressionThroughService(Log& log, std::string_view compression) {
  auto* const remote = dynamic_cast<RemoteLog*>(&log);
  if (remote == nullptr) {
    return std::unexpected(Error{ErrorCode::kUnsupported, "the log is not used through a service"});
  }
  std::string body;
  JsonWriter json(body);
  json.StartObject();
  json.Field("compression", compression);
  json.EndObject();
  TURNLOG_TRY(remote->client().Call(
      {.method = "PUT", .target = "/v1/store", .headers = {{"Content-Type", "application/json"}}, .body = {body}}));
  return {};
}

}  // namespace turnlog
