#include "turnlog/service/service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "base/try.h"
#include "http/server.h"
#include "remote/problem.h"
#include "remote/service_client.h"
#include "schema/json/json_writer.h"
#include "service/handlers.h"
#include "service/observed_log.h"
#include "service/routes.h"
#include "service/service_state.h"

namespace turnlog {
namespace {

constexpr unsigned kThreadsPerProcessor = 4;
constexpr unsigned kFewestThreads = 24;  // requests that wait for one sync share it, so there should be many
constexpr std::chrono::seconds kGrace{5};
constexpr std::uint64_t kOpenBody = 4096;  // of a request that anyone may send

std::string NewInstance() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Whether the body of a request that anyone may send is as small as what it is for.
bool IsSmall(const HttpRequest& head) {
  if (!head.header("Transfer-Encoding").empty()) return false;
  const std::string_view text = head.header("Content-Length");
  std::uint64_t length = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), length);
  return length <= kOpenBody;
}

// No content, no ids, no names: the line goes where the contents of the store do not.
std::string AccessLine(std::string_view operation, const HttpRequest& request, int status,
                       std::chrono::steady_clock::duration took) {
  std::string line;
  JsonWriter json(line);
  json.StartObject();
  json.Field("time", TimeNow().ToRfc3339());
  json.Field("operation", operation);
  json.Key("status"), json.Unsigned(static_cast<std::uint64_t>(status));
  json.Key("microseconds");
  json.Unsigned(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  json.Key("received_bytes"), json.Unsigned(request.body.size());
  json.Field("through", request.local ? "unix" : "tcp");
  json.EndObject();
  return line;
}

class RunningService : public Service, private HttpApplication {
 public:
  RunningService(Log& log, const ServiceOptions& options)
      : log_(log, [this](const LogChange& change) { OnChange(change); }),
        state_(log_, NewInstance(), options.sessions, options.tokens),
        access_log_(options.access_log),
        socket_(options.socket) {
    state_.connections = [this] { return server_ == nullptr ? 0 : server_->connections(); };
  }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;
  ~RunningService() override { RunningService::Stop(); }

  Status Open(const ServiceOptions& options) {
    std::vector<SocketAddress> addresses;
    if (!options.socket.empty()) addresses.push_back({.path = options.socket, .host = {}});
    if (!options.listen.empty()) addresses.push_back(TURNLOG_TRY(LoopbackAddress(options)));
    const unsigned threads = options.threads != 0
                                 ? options.threads
                                 : std::max(kFewestThreads, kThreadsPerProcessor * std::thread::hardware_concurrency());
    server_ = TURNLOG_TRY(HttpServer::Open(addresses, {}));
    const SocketAddress& last = server_->addresses().back();
    if (!last.local()) state_.page_url = fmt::format("http://{}/", last.ToText());
    state_.rules.emplace(options.token, last, state_.sessions, state_.tokens);
    server_->Start(*this, threads);
    return {};
  }

  Log& log() override { return log_; }

  std::vector<std::string> locations() const override {
    std::vector<std::string> locations;
    for (const SocketAddress& address : server_->addresses()) {
      locations.push_back((address.local() ? "unix:" : "http://") + address.ToText());
    }
    return locations;
  }

  std::string PairingLink(const std::string& who) override {
    if (state_.page_url.empty()) return {};
    return turnlog::PairingLink(state_, state_.sessions.MakeCode(who, TimeNow()));
  }

  void Stop() override {
    if (server_ == nullptr) return;
    server_->Stop(kGrace);
    if (!socket_.empty()) (void)::unlink(socket_.c_str());
    server_.reset();
  }

 private:
  static Result<SocketAddress> LoopbackAddress(const ServiceOptions& options) {
    SocketAddress address = TURNLOG_TRY(ParseTcpAddress(options.listen));
    if (!address.host.starts_with("127.") && address.host != "::1") {
      return std::unexpected(Error{ErrorCode::kInvalidArgument,
                                   "a service listens at addresses of this machine only, such as 127.0.0.1:8080"});
    }
    if (!options.token.empty() && options.token.size() < kMinTokenBytes) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument,
                                   fmt::format("the token must have at least {} characters", kMinTokenBytes)});
    }
    return address;
  }

  void OnChange(const LogChange& change) {
    state_.metrics.CountAppend(change.events, change.durability == Durability::kSync, change.took);
    state_.overview.Forget(change.conversation.text());
    state_.hub.Notify(change.conversation.text());
  }

  HttpResponse Admit(const HttpRequest& head) override {
    const RouteMatch match = FindRoute(head.method, head.path);
    const auto needs = match.route != nullptr ? match.route->right : std::optional(AccessRight::kRead);
    if (auto refusal = state_.rules->Refuse(head, needs)) return Finish(*std::move(refusal), "refused", head, {});
    if (!needs && !IsSmall(head)) return Finish(ProblemResponse(413, "the body is too large"), "refused", head, {});
    return {};
  }

  HttpResponse Handle(const HttpRequest& request) override {
    const auto begin = std::chrono::steady_clock::now();
    const RouteMatch match = FindRoute(request.method, request.path);
    HttpResponse response = Dispatch(match, request);
    const std::string_view operation = match.route == nullptr ? "unknown" : match.route->operation;
    return Finish(std::move(response), operation, request, std::chrono::steady_clock::now() - begin);
  }

  HttpResponse Refuse(int status, std::string_view reason) override {
    return Finish(ProblemResponse(status, reason), "refused", {}, {});
  }

  HttpResponse Dispatch(const RouteMatch& match, const HttpRequest& request) {
    if (match.route == nullptr) {
      return match.other_method ? ProblemResponse(405, "this path has no such method")
                                : ProblemResponse(404, "there is nothing at this path");
    }
    auto query = Query::Parse(request.query);
    if (!query) return ProblemResponse(query.error());
    Call call{.request = request, .parameters = match.parameters, .query = *std::move(query)};
    auto response = match.route->handle(state_, call);
    return response ? *std::move(response) : ProblemResponse(response.error());
  }

  HttpResponse Finish(HttpResponse response, std::string_view operation, const HttpRequest& request,
                      std::chrono::steady_clock::duration took) {
    response.headers.push_back({std::string(kInstanceHeader), state_.instance});
    if (FindHeader(response.headers, "Cache-Control").empty())
      response.headers.push_back({"Cache-Control", "no-store"});
    response.headers.push_back({"X-Content-Type-Options", "nosniff"});
    response.headers.push_back({"Referrer-Policy", "no-referrer"});
    response.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
    state_.metrics.CountRequest(operation, response.status);
    state_.metrics.CountReceived(request.body.size());
    if (access_log_) access_log_(AccessLine(operation, request, response.status, took));
    return response;
  }

  ObservedLog log_;
  ServiceState state_;
  const std::function<void(std::string_view)> access_log_;
  const std::filesystem::path socket_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::Start(Log& log, const ServiceOptions& options) {
  auto service = std::make_unique<RunningService>(log, options);
  TURNLOG_TRY(service->Open(options));
  return service;
}

}  // namespace turnlog
