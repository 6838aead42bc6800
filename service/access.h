// Who may call a service.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/message.h"
#include "service/named_tokens.h"
#include "service/public_address.h"
#include "service/sessions.h"

namespace turnlog {

// In time that does not depend on where they differ.
bool SameSecret(std::string_view left, std::string_view right);

// Who sends a request.
struct Caller {
  std::string who;  // the name of the session's person or of the token; empty: not known
  std::set<AccessRight> rights;
};

// What is checked of requests that come over TCP; those of a Unix socket are let through by the permissions of its
// file.
class AccessRules {
 public:
  // `token`: has all rights; an empty one lets nothing through.
  AccessRules(std::string token, PublicAddress address, const Sessions& sessions, const NamedTokens& tokens)
      : token_(std::move(token)), address_(std::move(address)), sessions_(sessions), tokens_(tokens) {}

  // The response to a request that is not allowed. A Host of another name is a page elsewhere that has made its name
  // point here; an Origin of another one is a page elsewhere that posts here. `needs`: nothing if it is for anyone.
  std::optional<HttpResponse> Refuse(const HttpRequest& request, std::optional<AccessRight> needs) const;
  // REQUIRES: the request was not refused. The response if this right is missing, which some requests need in addition.
  std::optional<HttpResponse> RefuseWithout(AccessRight right, const HttpRequest& request) const;
  // The name of who sends it, if a session or a named token says so.
  std::optional<std::string> WhoSends(const HttpRequest& request) const;
  // SHA-256 of the named token that the request is sent with, or that its session was begun with. Empty: none.
  std::string TokenHashOf(const HttpRequest& request) const;
  // The session of the browser that sends it, if it is signed in.
  std::optional<Session> SessionOf(const HttpRequest& request) const;
  // What a session may do. Nothing: the token that it was begun with has been removed.
  std::optional<std::set<AccessRight>> RightsOf(const Session& session) const;
  const PublicAddress& address() const { return address_; }
  bool IsToken(std::string_view given) const { return !token_.empty() && SameSecret(given, token_); }

 private:
  std::optional<HttpResponse> RefuseStranger(const HttpRequest& request, AccessRight needs) const;
  std::optional<Caller> CallerOf(const HttpRequest& request) const;

  const std::string token_;
  const PublicAddress address_;
  const Sessions& sessions_;
  const NamedTokens& tokens_;
};

// What a stream, which outlives its request, keeps of it: the token may be removed and the session end meanwhile.
class StreamAccess {
 public:
  // `rules` must outlive it. REQUIRES: the request was not refused.
  StreamAccess(const AccessRules& rules, const HttpRequest& request);

  bool ended() const { return rules_.Refuse(head_, AccessRight::kRead).has_value(); }
  // kReadOnly: it has ended.
  Status Check() const;

 private:
  const AccessRules& rules_;
  HttpRequest head_;  // only what the rules look at, because there may be thousands of streams
};

}  // namespace turnlog
