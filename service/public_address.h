// Under which names clients and browsers reach a service over TCP: its own address, and a proxy in front of it.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "http/socket.h"
#include "turnlog/result.h"

namespace turnlog {

class PublicAddress {
 public:
  // `listens`: the address of the service, with its port. `url`: of a proxy in front of it, "https://host/path"; empty:
  // there is none. `base_path`: "/path", below which everything is served; empty: that of the URL. kInvalidArgument:
  // one of them is malformed, or the URL would send cookies unencrypted over a network.
  // `encrypted`: the service itself encrypts what goes over `listens`.
  static Result<PublicAddress> Parse(const SocketAddress& listens, std::string_view url, std::string_view base_path,
                                     bool encrypted = false);

  // Whether a Host header names this service. Another name is a page elsewhere that has made its name point here.
  bool IsHost(std::string_view host) const;
  // Whether an Origin header names a page of this service.
  bool IsOrigin(std::string_view origin) const;
  // The page, "https://host/path/".
  std::string page_url() const;
  // "" or "/path".
  const std::string& base_path() const { return base_path_; }
  // The path of a request without the base path, which a proxy may have removed already.
  std::string_view WithoutBase(std::string_view path) const;

  std::string CookieName() const;
  // The header that sets the cookie of a session; an empty value removes it.
  HttpHeader SetCookie(std::string_view value) const;

 private:
  PublicAddress(const SocketAddress& listens, std::string_view scheme);
  Status TakeUrl(std::string_view url);
  Status TakeBasePath(std::string_view path);
  bool IsOwnHost(std::string_view given) const;
  // `proxy`: `host_` or `origin_`.
  bool IsProxy(std::string_view given, std::string_view proxy) const;

  // All without the usual port of their scheme.
  std::string listens_;  // "127.0.0.2:8080"
  std::string scheme_;   // of `listens_`, with "://"
  std::uint16_t port_ = 0;
  std::string origin_;  // of the proxy, "https://host"; empty: there is none
  std::string host_;    // of the proxy, with its port if the URL has one
  std::string base_path_;
};

// Whether it is an address of this machine only.
bool IsLoopback(const SocketAddress& address);
// Whether it stands for all addresses of this machine, so that no client calls it by this one.
bool IsWildcard(const SocketAddress& address);

}  // namespace turnlog
