#include "service/routes.h"

#include <array>

#include "http/url.h"
#include "service/handlers.h"

namespace turnlog {
namespace {

constexpr std::array kRoutes{
    ServiceRoute{"GET", "/healthz", "getHealth", GetHealth, Access::kOpen},
    ServiceRoute{"GET", "/metrics", "getMetrics", GetMetrics},
    ServiceRoute{"GET", "/", "getPage", GetPage, Access::kOpen},
    ServiceRoute{"GET", "/page/{file}", "getPageFile", GetPageFile, Access::kOpen},
    ServiceRoute{"POST", "/v1/sign-in", "signIn", SignIn, Access::kOpen},
    ServiceRoute{"POST", "/v1/sign-out", "signOut", SignOut},
    ServiceRoute{"GET", "/v1/session", "getSession", GetSession},
    ServiceRoute{"GET", "/v1/sessions", "listSessions", ListSessions},
    ServiceRoute{"DELETE", "/v1/sessions/{session}", "endSession", EndSession},
    ServiceRoute{"POST", "/v1/pairing", "makePairingCode", MakePairingCode},
    ServiceRoute{"GET", "/v1/store", "getStore", GetStore},
    ServiceRoute{"POST", "/v1/checkpoint", "makeCheckpoint", MakeCheckpoint},
    ServiceRoute{"GET", "/v1/storage", "readStorage", ReadStorage},
    ServiceRoute{"GET", "/v1/conversations", "listConversations", ListConversations},
    ServiceRoute{"GET", "/v1/conversations/{conversation}", "getConversation", GetConversation},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/state", "getState", GetState},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/events", "readEvents", ReadEvents},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/events", "appendEvents", AppendEvents},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/erase", "eraseEvents", EraseEvents},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/redact", "redactEvents", RedactEvents},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/repairs", "getRepairs", GetRepairs},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/watermarks/{consumer}", "getWatermark", GetWatermark},
    ServiceRoute{"PUT", "/v1/conversations/{conversation}/watermarks/{consumer}", "putWatermark", PutWatermark},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/attempts", "findAttempts", FindAttempts},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/denials", "getDenials", GetDenials},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/respond", "respond", Respond},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/cancel", "cancel", Cancel},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/wait", "waitForInquiry", WaitForInquiry},
    ServiceRoute{"GET", "/v1/pending", "listPending", ListPending},
    ServiceRoute{"PUT", "/v1/conversations/{conversation}/attention", "putAttention", PutAttention},
    ServiceRoute{"GET", "/v1/overview", "getOverview", GetOverview},
    ServiceRoute{"GET", "/v1/overview/stream", "streamOverview", StreamOverview},
    ServiceRoute{"POST", "/v1/seen", "markAllSeen", MarkAllSeen},
    ServiceRoute{"GET", "/v1/search", "searchEvents", SearchEvents},
    ServiceRoute{"GET", "/v1/end", "getEnd", GetEnd},
    ServiceRoute{"GET", "/v1/tail", "followTail", FollowTail},
    ServiceRoute{"GET", "/v1/events", "streamEvents", StreamEvents},
};

// The parameters, if the segments are those of the pattern.
std::optional<std::vector<std::string>> Match(std::string_view pattern, const std::vector<std::string>& segments) {
  std::vector<std::string> parameters;
  for (const std::string& segment : segments) {
    if (pattern.empty()) return std::nullopt;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(expected.size());
    if (expected.starts_with('{')) {
      parameters.push_back(segment);
    } else if (expected != segment) {
      return std::nullopt;
    }
  }
  return pattern.empty() ? std::optional(std::move(parameters)) : std::nullopt;
}

}  // namespace

std::span<const ServiceRoute> Routes() { return kRoutes; }

RouteMatch FindRoute(std::string_view method, std::string_view path) {
  RouteMatch match;
  const auto segments = SplitPath(path);
  if (!segments) return match;
  if (method == "HEAD") method = "GET";
  for (const ServiceRoute& route : kRoutes) {
    auto parameters = Match(route.pattern, *segments);
    if (!parameters) continue;
    if (route.method == method) return {&route, *std::move(parameters), false};
    match.other_method = true;
  }
  return match;
}

}  // namespace turnlog
