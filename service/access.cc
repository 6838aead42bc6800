#include "service/access.h"

#include <fmt/format.h>

#include "service/call.h"
#include "service/digest.h"
#include "service/session_cookie.h"

namespace turnlog {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// What is sent as a token; empty if nothing is.
std::string_view BearerOf(const HttpRequest& request) {
  const std::string_view given = request.header("Authorization");
  return given.starts_with(kBearer) ? given.substr(kBearer.size()) : std::string_view();
}

std::optional<HttpResponse> RefuseUnless(const Caller& caller, AccessRight right) {
  if (right == AccessRight::kRead || caller.rights.contains(right)) return std::nullopt;
  return ProblemResponse(403, fmt::format("the token lacks the right `{}`", ToString(right)));
}

HttpResponse RefuseUnknown() {
  HttpResponse response = ProblemResponse(401, "the token is missing or wrong");
  response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
}

}  // namespace

bool SameSecret(std::string_view left, std::string_view right) {
  unsigned char difference = left.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const char other = right.empty() ? '\0' : right[i % right.size()];
    difference = static_cast<unsigned char>(difference |
                                            (static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(other)));
  }
  return difference == 0;
}

std::optional<std::set<AccessRight>> AccessRules::RightsOf(const Session& session) const {
  if (session.token_hash.empty()) return AllRights();
  const auto token = tokens_.FindByHash(session.token_hash);
  return token ? std::optional(token->rights) : std::nullopt;
}

std::optional<Session> AccessRules::SessionOf(const HttpRequest& request) const {
  const std::string_view cookie = SessionCookieOf(request, address_.CookieName());
  auto session = cookie.empty() ? std::nullopt : sessions_.Find(cookie, TimeNow());
  return session && RightsOf(*session) ? std::move(session) : std::nullopt;
}

std::optional<Caller> AccessRules::CallerOf(const HttpRequest& request) const {
  const std::string_view given = BearerOf(request);
  if (IsToken(given)) return Caller{.who = {}, .rights = AllRights()};
  if (!given.empty()) {
    const auto token = tokens_.Find(given);
    return token ? std::optional(Caller{token->name, token->rights}) : std::nullopt;
  }
  const auto session = request.header("Authorization").empty() ? SessionOf(request) : std::nullopt;
  const auto rights = session ? RightsOf(*session) : std::nullopt;
  return rights ? std::optional(Caller{session->who, *rights}) : std::nullopt;
}

std::optional<HttpResponse> AccessRules::RefuseWithout(AccessRight right, const HttpRequest& request) const {
  if (request.local) return std::nullopt;
  const auto caller = CallerOf(request);
  return caller ? RefuseUnless(*caller, right) : RefuseUnknown();
}

std::optional<std::string> AccessRules::WhoSends(const HttpRequest& request) const {
  const auto caller = request.local ? std::nullopt : CallerOf(request);
  return caller && !caller->who.empty() ? std::optional(caller->who) : std::nullopt;
}

std::string AccessRules::TokenHashOf(const HttpRequest& request) const {
  if (request.local) return {};
  const std::string_view given = BearerOf(request);
  if (!given.empty()) return IsToken(given) ? std::string() : Sha256Hex(given);
  const auto session = SessionOf(request);
  return session ? session->token_hash : std::string();
}

std::optional<HttpResponse> AccessRules::Refuse(const HttpRequest& request, std::optional<AccessRight> needs) const {
  if (request.local) return std::nullopt;
  if (!address_.IsHost(request.header("Host"))) {
    return ProblemResponse(403, "the Host of the request is not this service");
  }
  const std::string_view origin = request.header("Origin");
  if (!origin.empty() && !address_.IsOrigin(origin)) {
    return ProblemResponse(403, "the request comes from a page of another origin");
  }
  return needs ? RefuseStranger(request, *needs) : std::nullopt;
}

std::optional<HttpResponse> AccessRules::RefuseStranger(const HttpRequest& request, AccessRight needs) const {
  const auto caller = CallerOf(request);
  if (caller && BearerOf(request).empty() && !IsFromPage(request)) {
    return ProblemResponse(403, "the request does not come from the service's own page");
  }
  if (caller) return RefuseUnless(*caller, needs);
  return RefuseUnknown();
}

StreamAccess::StreamAccess(const AccessRules& rules, const HttpRequest& request)
    : rules_(rules),
      head_{.method = request.method, .path = {}, .query = {}, .headers = {}, .body = {}, .local = request.local} {
  if (request.local) return;
  for (const char* const name : {"Host", "Origin", "Authorization", "Cookie", "Sec-Fetch-Site"}) {
    if (const auto value = request.header(name); !value.empty()) head_.headers.push_back({name, std::string(value)});
  }
}

Status StreamAccess::Check() const {
  if (!ended()) return {};
  return std::unexpected(Error{ErrorCode::kReadOnly, "the token was removed, or the session has ended"});
}

}  // namespace turnlog
