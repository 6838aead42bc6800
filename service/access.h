// Who may call a service.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "service/named_tokens.h"
#include "service/sessions.h"

namespace turnlog {

// In time that does not depend on where they differ.
bool SameSecret(std::string_view left, std::string_view right);

// What is checked of requests that come over TCP; those of a Unix socket are let through by the permissions of its
// file.
class AccessRules {
 public:
  // `port`: of the service, which clients must name as their host. `token`: has all rights; an empty one lets nothing
  // through.
  AccessRules(std::string token, std::uint16_t port, const Sessions& sessions, const NamedTokens& tokens)
      : token_(std::move(token)), port_(port), sessions_(sessions), tokens_(tokens) {}

  // The response to a request that is not allowed. A Host of another name is a page elsewhere that has made its name
  // point here; an Origin of another one is a page elsewhere that posts here. `needs`: nothing if it is for anyone.
  std::optional<HttpResponse> Refuse(const HttpRequest& request, std::optional<AccessRight> needs) const;
  // REQUIRES: the request was not refused. The response if this right is missing, which some requests need in addition.
  std::optional<HttpResponse> RefuseWithout(AccessRight right, const HttpRequest& request) const;
  // The name of who sends it, if a session or a named token says so.
  std::optional<std::string> WhoSends(const HttpRequest& request) const;
  // The session of the browser that sends it, if it is signed in.
  std::optional<Session> SessionOf(const HttpRequest& request) const;
  HttpHeader SetCookie(std::string_view value) const;
  bool IsToken(std::string_view given) const { return !token_.empty() && SameSecret(given, token_); }

 private:
  bool IsOurHost(std::string_view host) const;
  std::optional<HttpResponse> RefuseStranger(const HttpRequest& request, AccessRight needs) const;
  std::optional<AccessToken> TokenOf(const HttpRequest& request) const;

  const std::string token_;
  const std::uint16_t port_;
  const Sessions& sessions_;
  const NamedTokens& tokens_;
};

}  // namespace turnlog
