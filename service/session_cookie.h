// The cookie of a browser that is signed in, in requests and responses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"

namespace turnlog {

// Its name. Browsers send cookies to all ports of a host, so each service needs one of its own.
std::string SessionCookieName(std::uint16_t port);
// Its value in a request; empty if there is none.
std::string_view SessionCookieOf(const HttpRequest& request, std::string_view name);
// The header that sets it for the service's path; an empty value removes it. `secure`: never sent unencrypted.
HttpHeader SetSessionCookie(std::string_view name, std::string_view value, std::string_view path, bool secure);

// The header that the page puts into its requests. A page elsewhere cannot, without asking first (CORS), which is
// refused.
inline constexpr std::string_view kPageHeader = "Turnlog-Page";
// Whether a request with a cookie was made by the page, and not by another one that makes the browser send it.
bool IsFromPage(const HttpRequest& request);

}  // namespace turnlog
