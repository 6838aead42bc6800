// Which request is handled by what. docs/http_api.md and docs/openapi.json describe each route.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/call.h"
#include "service/service_state.h"
#include "turnlog/service/access_tokens.h"

namespace turnlog {

struct ServiceRoute {
  std::string_view method;
  std::string_view pattern;    // "{name}" stands for one segment
  std::string_view operation;  // in metrics, logs and docs/openapi.json
  Result<HttpResponse> (*handle)(ServiceState& state, Call& call);
  std::optional<AccessRight> right;  // that it needs; nothing: it is for anyone
  // What takes a body as it comes; null: it is collected.
  std::shared_ptr<BodySink> (*sink)(const HttpRequest& head, std::optional<std::uint64_t> length) = nullptr;
};

std::span<const ServiceRoute> Routes();

struct RouteMatch {
  const ServiceRoute* route = nullptr;  // null: there is none for this path, or not with this method
  std::vector<std::string> parameters;  // decoded
  bool other_method = false;            // the path has routes for other methods
};
// HEAD is matched as GET. `path` is percent-encoded.
RouteMatch FindRoute(std::string_view method, std::string_view path);

}  // namespace turnlog
