#include "service/public_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "service/session_cookie.h"

namespace turnlog {
namespace {

constexpr std::string_view kHttp = "http://", kHttps = "https://";
constexpr std::array<std::string_view, 3> kThisMachine{"127.0.0.1", "localhost", "[::1]"};

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool IsWordOf(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

// Clients leave out the usual port of a scheme. `host`: may be an origin, or have no port.
std::string_view WithoutUsualPort(std::string_view host, std::string_view scheme) {
  const std::string_view usual = scheme == kHttps ? ":443" : ":80";
  if (host.ends_with(usual)) host.remove_suffix(usual.size());
  return host;
}

// With or without a port.
bool IsThisMachine(std::string_view host) {
  return std::ranges::any_of(kThisMachine, [&](std::string_view name) {
    return host.starts_with(name) && (host.size() == name.size() || host[name.size()] == ':');
  });
}

}  // namespace

PublicAddress::PublicAddress(const SocketAddress& listens, std::string_view scheme)
    : listens_(WithoutUsualPort(listens.ToText(), scheme)), scheme_(scheme), port_(listens.port) {}

Result<PublicAddress> PublicAddress::Parse(const SocketAddress& listens, std::string_view url,
                                           std::string_view base_path, bool encrypted) {
  PublicAddress address(listens, encrypted ? kHttps : kHttp);
  if (!url.empty()) TURNLOG_TRY(address.TakeUrl(url));
  if (!base_path.empty()) {
    if (!address.base_path_.empty() && address.base_path_ != base_path) {
      return Wrong("the public URL has another path than the base path");
    }
    TURNLOG_TRY(address.TakeBasePath(base_path));
  }
  return address;
}

Status PublicAddress::TakeUrl(std::string_view url) {
  const std::string_view scheme = url.starts_with(kHttps) ? kHttps : url.starts_with(kHttp) ? kHttp : "";
  if (scheme.empty()) return Wrong("the public URL must begin with https://");
  const std::string_view rest = url.substr(scheme.size());
  host_ = Lower(rest.substr(0, rest.find('/')));
  std::string_view path = rest.substr(host_.size());
  if (path.ends_with('/')) path.remove_suffix(1);
  host_ = WithoutUsualPort(host_, scheme);
  if (host_.empty() || !IsWordOf(host_, ".-:[]")) return Wrong("the public URL must be https://HOST[:PORT][/PATH]");
  if (scheme == kHttp && !IsThisMachine(host_)) {
    return Wrong("the public URL must begin with https://: cookies must not be sent unencrypted");
  }
  origin_ = std::string(scheme) + host_;
  return path.empty() ? Status() : TakeBasePath(path);
}

Status PublicAddress::TakeBasePath(std::string_view path) {
  const bool segments = path.starts_with('/') && !path.ends_with('/') && path.find("//") == std::string_view::npos &&
                        path.find("/.") == std::string_view::npos;
  if (!segments || !IsWordOf(path, "/-._~")) {
    return Wrong("the base path must be /PATH: letters, digits and -._~, no slash at its end");
  }
  base_path_ = path;
  return {};
}

bool PublicAddress::IsOwnHost(std::string_view given) const {
  const std::string_view host = WithoutUsualPort(given, scheme_);
  return host == listens_ || std::ranges::any_of(kThisMachine, [&](std::string_view name) {
           return host == WithoutUsualPort(fmt::format("{}:{}", name, port_), scheme_);
         });
}

bool PublicAddress::IsProxy(std::string_view given, std::string_view proxy) const {
  const std::string_view scheme = origin_.starts_with(kHttps) ? kHttps : kHttp;
  return !proxy.empty() && WithoutUsualPort(Lower(given), scheme) == proxy;
}

bool PublicAddress::IsHost(std::string_view host) const { return IsOwnHost(host) || IsProxy(host, host_); }

bool PublicAddress::IsOrigin(std::string_view origin) const {
  if (IsProxy(origin, origin_)) return true;
  return origin.starts_with(scheme_) && IsOwnHost(origin.substr(scheme_.size()));
}

std::string PublicAddress::page_url() const {
  return fmt::format("{}{}/", origin_.empty() ? scheme_ + listens_ : origin_, base_path_);
}

std::string_view PublicAddress::WithoutBase(std::string_view path) const {
  if (base_path_.empty() || !path.starts_with(base_path_)) return path;
  const std::string_view rest = path.substr(base_path_.size());
  return rest.starts_with('/') ? rest : path;
}

std::string PublicAddress::CookieName() const { return SessionCookieName(port_); }

HttpHeader PublicAddress::SetCookie(std::string_view value) const {
  const bool secure = origin_.starts_with(kHttps) || scheme_ == kHttps;
  return SetSessionCookie(CookieName(), value, base_path_ + "/", secure);
}

bool IsLoopback(const SocketAddress& address) { return address.host.starts_with("127.") || address.host == "::1"; }

bool IsWildcard(const SocketAddress& address) { return address.host == "0.0.0.0" || address.host == "::"; }

}  // namespace turnlog
