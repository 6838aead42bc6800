#include "service/routes.h"

#include <algorithm>
#include <array>

#include "http/url.h"
#include "service/handlers.h"

namespace turnlog {
namespace {

constexpr std::array kRoutes{
    ServiceRoute{"GET", "/healthz", "getHealth", GetHealth, std::nullopt},
    ServiceRoute{"GET", "/metrics", "getMetrics", GetMetrics, AccessRight::kRead},
    ServiceRoute{"GET", "/", "getPage", GetPage, std::nullopt},
    ServiceRoute{"GET", "/page/{file}", "getPageFile", GetPageFile, std::nullopt},
    ServiceRoute{"POST", "/v1/sign-in", "signIn", SignIn, std::nullopt},
    ServiceRoute{"POST", "/v1/sign-out", "signOut", SignOut, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/session", "getSession", GetSession, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/sessions", "listSessions", ListSessions, AccessRight::kMaintain},
    ServiceRoute{"DELETE", "/v1/sessions/{session}", "endSession", EndSession, AccessRight::kMaintain},
    ServiceRoute{"POST", "/v1/pairing", "makePairingCode", MakePairingCode, AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/store", "getStore", GetStore, AccessRight::kRead},
    ServiceRoute{"PUT", "/v1/store", "putStore", PutStore, AccessRight::kMaintain},
    ServiceRoute{"POST", "/v1/checkpoint", "makeCheckpoint", MakeCheckpoint, AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/storage", "readStorage", ReadStorage, AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/jobs", "listJobs", ListJobs, AccessRight::kMaintain},
    ServiceRoute{"POST", "/v1/jobs", "beginJob", BeginJob, AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/jobs/{job}", "getJob", GetJob, AccessRight::kMaintain},
    ServiceRoute{"DELETE", "/v1/jobs/{job}", "cancelJob", CancelJob, AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/conversations", "listConversations", ListConversations, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/conversations/{conversation}", "getConversation", GetConversation, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/state", "getState", GetState, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/events", "readEvents", ReadEvents, AccessRight::kRead},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/events", "appendEvents", AppendEvents, AccessRight::kAppend,
                 SinkOfEvents},
    ServiceRoute{"POST", "/v1/appends", "appendMany", AppendMany, AccessRight::kAppend, SinkOfAppends},
    ServiceRoute{"GET", "/v1/append-stream", "streamAppends", StreamAppends, AccessRight::kAppend},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/erase", "eraseEvents", EraseEvents, AccessRight::kMaintain},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/redact", "redactEvents", RedactEvents,
                 AccessRight::kMaintain, SinkOfEvents},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/repairs", "getRepairs", GetRepairs, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/watermarks/{consumer}", "getWatermark", GetWatermark,
                 AccessRight::kRead},
    ServiceRoute{"PUT", "/v1/conversations/{conversation}/watermarks/{consumer}", "putWatermark", PutWatermark,
                 AccessRight::kMaintain},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/attempts", "findAttempts", FindAttempts, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/denials", "getDenials", GetDenials, AccessRight::kRead},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/respond", "respond", Respond, AccessRight::kAnswer},
    ServiceRoute{"POST", "/v1/conversations/{conversation}/cancel", "cancel", Cancel, AccessRight::kAnswer},
    ServiceRoute{"GET", "/v1/conversations/{conversation}/wait", "waitForInquiry", WaitForInquiry, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/pending", "listPending", ListPending, AccessRight::kRead},
    ServiceRoute{"PUT", "/v1/conversations/{conversation}/attention", "putAttention", PutAttention,
                 AccessRight::kAnswer},
    ServiceRoute{"GET", "/v1/overview", "getOverview", GetOverview, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/overview/stream", "streamOverview", StreamOverview, AccessRight::kRead},
    ServiceRoute{"POST", "/v1/seen", "markAllSeen", MarkAllSeen, AccessRight::kAnswer},
    ServiceRoute{"GET", "/v1/search", "searchEvents", SearchEvents, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/end", "getEnd", GetEnd, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/tail", "followTail", FollowTail, AccessRight::kRead},
    ServiceRoute{"GET", "/v1/events", "streamEvents", StreamEvents, AccessRight::kRead},
};

// Calls `on_segment` with each segment of the pattern and of the path, until it returns false; whether it never did,
// and there are as many of both.
bool ForEachSegment(std::string_view pattern, const std::vector<std::string>& segments, const auto& on_segment) {
  for (const std::string& segment : segments) {
    if (pattern.empty()) return false;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(expected.size());
    if (!on_segment(expected, segment)) return false;
  }
  return pattern.empty();
}

bool IsParameter(std::string_view segment) { return segment.starts_with('{'); }

bool Matches(std::string_view pattern, const std::vector<std::string>& segments) {
  return ForEachSegment(pattern, segments, [](std::string_view expected, const std::string& segment) {
    return IsParameter(expected) || expected == segment;
  });
}

std::vector<std::string> ParametersOf(std::string_view pattern, const std::vector<std::string>& segments) {
  std::vector<std::string> parameters;
  (void)ForEachSegment(pattern, segments, [&](std::string_view expected, const std::string& segment) {
    if (IsParameter(expected)) parameters.push_back(segment);
    return true;
  });
  return parameters;
}

// Of a path without parameters, as most are written.
const ServiceRoute* FindPlainRoute(std::string_view method, std::string_view path) {
  const auto same = [&](const ServiceRoute& route) { return route.pattern == path && route.method == method; };
  const auto* const found = std::ranges::find_if(kRoutes, same);
  return found == kRoutes.end() ? nullptr : found;
}

}  // namespace

std::span<const ServiceRoute> Routes() { return kRoutes; }

RouteMatch FindRoute(std::string_view method, std::string_view path) {
  RouteMatch match;
  if (const ServiceRoute* const route = FindPlainRoute(method, path)) return {route, {}, false};
  const auto segments = SplitPath(path);
  if (!segments) return match;
  if (method == "HEAD") method = "GET";
  for (const ServiceRoute& route : kRoutes) {
    if (!Matches(route.pattern, *segments)) continue;
    if (route.method == method) return {&route, ParametersOf(route.pattern, *segments), false};
    match.other_method = true;
  }
  return match;
}

}  // namespace turnlog
