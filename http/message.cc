#include "http/message.h"

#include <algorithm>

namespace turnlog {
namespace {

constexpr std::size_t kResponseHead = 512;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto same = [&](const HttpHeader& header) {
    return header.name.size() == name.size() && std::ranges::equal(header.name, name, {}, Lower, Lower);
  };
  const auto found = std::ranges::find_if(headers, same);
  return found == headers.end() ? std::string_view() : found->value;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
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
    case 426:
      return "Upgrade Required";
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

void AppendHeader(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string HeadOf(const HttpResponse& response, bool keep, bool chunked) {
  std::string head;
  head.reserve(kResponseHead + response.body.size());
  head.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  head.append(StatusText(response.status)).append("\r\n").append(response.common);
  for (const HttpHeader& header : response.headers) AppendHeader(header.name, header.value, head);
  if (response.stream != nullptr) {
    if (chunked) AppendHeader("Transfer-Encoding", "chunked", head);
  } else if (response.status != 101 && response.status != 204 && response.status != 304) {
    AppendHeader("Content-Length", std::to_string(response.body.size()), head);
  }
  if (!keep) AppendHeader("Connection", "close", head);
  return head += "\r\n";
}

}  // namespace turnlog
