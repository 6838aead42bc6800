// Who may call a service.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace turnlog {

// In time that does not depend on where they differ.
bool SameSecret(std::string_view left, std::string_view right);

// What is checked of requests that come over TCP; those of a Unix socket are let through by the permissions of its
// file.
class AccessRules {
 public:
  // `port`: of the service, which clients must name as their host.
  AccessRules(std::string token, std::uint16_t port) : token_(std::move(token)), port_(port) {}

  // The response to a request that is not allowed. A Host of another name is a page elsewhere that has made its name
  // point here; an Origin of another one is a page elsewhere that posts here.
  std::optional<HttpResponse> Refuse(const HttpRequest& request, bool needs_token) const;

 private:
  bool IsOurHost(std::string_view host) const;

  const std::string token_;
  const std::uint16_t port_;
};

}  // namespace turnlog
