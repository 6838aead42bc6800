#include "http/message.h"

#include <fmt/format.h>

#include <algorithm>

namespace turnlog {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto same = [&](const HttpHeader& header) { return std::ranges::equal(header.name, name, {}, Lower, Lower); };
  const auto found = std::ranges::find_if(headers, same);
  return found == headers.end() ? std::string_view() : found->value;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Unknown";
  }
}

std::string HeadOf(const HttpResponse& response, bool keep, bool chunked) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, StatusText(response.status));
  for (const HttpHeader& header : response.headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
  if (response.stream == nullptr) {
    if (response.status != 204 && response.status != 304)
      head += fmt::format("Content-Length: {}\r\n", response.body.size());
  } else if (chunked) {
    head += "Transfer-Encoding: chunked\r\n";
  }
  if (!keep) head += "Connection: close\r\n";
  return head += "\r\n";
}

}  // namespace turnlog
