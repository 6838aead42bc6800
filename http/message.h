// Requests and responses as values: what lies between the sockets and the routes, and is tested without either.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/result.h"

namespace turnlog {

struct HttpHeader {
  std::string name, value;
};

// "NAME: VALUE" and a line break.
void AppendHeader(std::string_view name, std::string_view value, std::string& out);

// The value of the first header of that name, in any case; empty if there is none.
std::string_view FindHeader(const std::vector<HttpHeader>& headers, std::string_view name);

// Takes the body of a request as it comes, in pieces of any length. One thread at a time.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // May block. An error refuses the request, and the rest of its body is not read.
  virtual Status Take(std::string_view piece) = 0;
  // The memory that what has come so far takes, now or while it is handled.
  virtual std::uint64_t cost() const = 0;
  // Whether the body may have any length, because little of it is kept.
  virtual bool endless() const { return false; }
  // What becomes HttpRequest::body, once.
  virtual SecretString Release() { return {}; }
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // percent-encoded, without the query
  std::string query;   // likewise, without the '?'
  std::vector<HttpHeader> headers;
  SecretString body;                    // may hold an answer to a secret question
  std::uint64_t body_bytes = 0;         // that have come
  std::shared_ptr<BodySink> sink = {};  // that has got them, if the application has one for this request
  bool local = false;                   // through a Unix socket, whose permissions say who may send it

  std::string_view header(std::string_view name) const { return FindHeader(headers, name); }
};

// A body that is sent piece by piece. Reading goes on when the client has taken the last piece, so a slow client costs
// the memory of one piece.
class BodySource {
 public:
  enum class State : std::uint8_t {
    kMore,  // there may be more
    kIdle,  // nothing more at the moment: read again when woken, or after `idle_limit`
    kEnd,
  };

  virtual ~BodySource() = default;
  // Appends to `piece`, which may hold something. After an error the connection is closed without the mark of a
  // complete body.
  virtual Result<State> Read(std::string& piece) = 0;
  // Everything read so far has been passed to the client's system.
  virtual void Sent() {}
  // Sources that return kIdle call `wake` from any thread when there may be more.
  virtual void OnWake(std::function<void()>) {}
  virtual std::chrono::milliseconds idle_limit() const { return std::chrono::seconds(15); }
  // Whether it matters while it is idle that the client goes away: then the source is destroyed at once, and otherwise
  // when it goes on. Costs a few calls of the system each time.
  virtual bool ends_with_client() const { return false; }
};

class MessageHandler;

struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers;  // without those that frame the body
  std::string body;
  std::unique_ptr<BodySource> stream = {};        // instead of `body`
  std::string_view common = {};                   // headers as AppendHeader writes them; they outlive the response
  std::shared_ptr<MessageHandler> messages = {};  // with 101: of what follows on the connection
};

// "Not Found"
std::string_view StatusText(int status);

// Everything before the body, on the wire. `keep`: the connection is not closed after it. `chunked`: a stream is sent
// so.
std::string HeadOf(const HttpResponse& response, bool keep, bool chunked);

// What a server serves.
class HttpApplication {
 public:
  virtual ~HttpApplication() = default;
  // Looks at a request whose body has not been read. A response of an error refuses it, and the body is not read.
  virtual HttpResponse Admit(const HttpRequest& head) = 0;
  // What takes the body of a request that was admitted; null: it is collected. `length`: of the body, if it is known.
  virtual std::shared_ptr<BodySink> SinkFor(const HttpRequest& /*head*/, std::optional<std::uint64_t> /*length*/) {
    return nullptr;
  }
  // May block.
  virtual HttpResponse Handle(const HttpRequest& request) = 0;
  // For a request that is no HTTP, or beyond the limits. `request`: what is known of it.
  virtual HttpResponse Refuse(const HttpRequest& request, int status, std::string_view reason) = 0;
  // For a request whose sink has refused its body.
  virtual HttpResponse RefuseBody(const HttpRequest& request, const Error& error) {
    return Refuse(request, 400, error.message);
  }
};

}  // namespace turnlog
