#include "service/session_cookie.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "service/sessions.h"

namespace turnlog {

std::string SessionCookieName(std::uint16_t port) { return fmt::format("turnlog_{}", port); }

std::string_view SessionCookieOf(const HttpRequest& request, std::string_view name) {
  std::string_view rest = request.header("Cookie");
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) return pair.substr(name.size() + 1);
  }
  return {};
}

HttpHeader SetSessionCookie(std::string_view name, std::string_view value, std::string_view path, bool secure) {
  const auto age = value.empty() ? std::chrono::seconds(0) : std::chrono::seconds(kSessionTime);
  return {"Set-Cookie", fmt::format("{}={}; Path={}; Max-Age={}; HttpOnly; SameSite=Strict{}", name, value, path,
                                    age.count(), secure ? "; Secure" : "")};
}

bool IsFromPage(const HttpRequest& request) {
  const std::string_view site = request.header("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return false;
  if (request.method == "GET" || request.method == "HEAD") return true;
  return !request.header("Origin").empty() && !request.header(kPageHeader).empty();
}

}  // namespace turnlog
