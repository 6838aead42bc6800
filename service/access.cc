#include "service/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "service/call.h"
#include "service/session_cookie.h"

namespace turnlog {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// What is sent as a token; empty if nothing is.
std::string_view BearerOf(const HttpRequest& request) {
  const std::string_view given = request.header("Authorization");
  return given.starts_with(kBearer) ? given.substr(kBearer.size()) : std::string_view();
}

std::optional<HttpResponse> RefuseUnless(const AccessToken& token, AccessRight right) {
  if (right == AccessRight::kRead || token.rights.contains(right)) return std::nullopt;
  return ProblemResponse(403, fmt::format("the token lacks the right `{}`", ToString(right)));
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

bool AccessRules::IsOurHost(std::string_view host) const {
  constexpr std::array<std::string_view, 3> kNames{"127.0.0.1", "localhost", "[::1]"};
  return host == address_ ||
         std::ranges::any_of(kNames, [&](std::string_view name) { return host == fmt::format("{}:{}", name, port_); });
}

std::optional<Session> AccessRules::SessionOf(const HttpRequest& request) const {
  const std::string_view cookie = SessionCookieOf(request, SessionCookieName(port_));
  return cookie.empty() ? std::nullopt : sessions_.Find(cookie, TimeNow());
}

HttpHeader AccessRules::SetCookie(std::string_view value) const {
  return SetSessionCookie(SessionCookieName(port_), value);
}

std::optional<AccessToken> AccessRules::TokenOf(const HttpRequest& request) const {
  const std::string_view given = BearerOf(request);
  return given.empty() || IsToken(given) ? std::nullopt : tokens_.Find(given);
}

std::optional<HttpResponse> AccessRules::RefuseWithout(AccessRight right, const HttpRequest& request) const {
  const auto token = request.local ? std::nullopt : TokenOf(request);
  return token ? RefuseUnless(*token, right) : std::nullopt;
}

std::optional<std::string> AccessRules::WhoSends(const HttpRequest& request) const {
  if (const auto session = SessionOf(request); session && !session->who.empty()) return session->who;
  const auto token = request.local ? std::nullopt : TokenOf(request);
  return token ? std::optional(token->name) : std::nullopt;
}

std::optional<HttpResponse> AccessRules::Refuse(const HttpRequest& request, std::optional<AccessRight> needs) const {
  if (request.local) return std::nullopt;
  if (!IsOurHost(request.header("Host"))) return ProblemResponse(403, "the Host of the request is not this service");
  const std::string_view origin = request.header("Origin");
  constexpr std::string_view kHttp = "http://";
  if (!origin.empty() && !(origin.starts_with(kHttp) && IsOurHost(origin.substr(kHttp.size())))) {
    return ProblemResponse(403, "the request comes from a page of another origin");
  }
  return needs ? RefuseStranger(request, *needs) : std::nullopt;
}

std::optional<HttpResponse> AccessRules::RefuseStranger(const HttpRequest& request, AccessRight needs) const {
  if (IsToken(BearerOf(request))) return std::nullopt;
  if (const auto token = TokenOf(request)) return RefuseUnless(*token, needs);
  if (request.header("Authorization").empty() && SessionOf(request)) {
    if (IsFromPage(request)) return std::nullopt;
    return ProblemResponse(403, "the request does not come from the service's own page");
  }
  HttpResponse response = ProblemResponse(401, "the token is missing or wrong");
  response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
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
