#include "turnlog/service/service.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "base/try.h"
#include "http/collected_body.h"
#include "http/server.h"
#include "remote/problem.h"
#include "remote/service_client.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"
#include "service/handlers.h"
#include "service/notifier.h"
#include "service/observed_log.h"
#include "service/routes.h"
#include "service/service_state.h"

namespace turnlog {
namespace {

constexpr unsigned kThreadsPerProcessor = 4;
constexpr unsigned kFewestThreads = 24;  // requests that wait for one sync share it, so there should be many
constexpr std::chrono::seconds kGrace{5};
constexpr std::uint64_t kOpenBody = 4096;  // of a request that anyone may send
constexpr int kNoRoom = 503;
constexpr std::string_view kRetryAfter = "2";  // seconds: large bodies are handled one after another

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

std::string NewInstance() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// By whatever names. Not std::filesystem::equivalent, which takes no sockets.
bool IsSameFile(const std::filesystem::path& left, const std::filesystem::path& right) {
  struct stat first = {}, second = {};
  return ::stat(left.c_str(), &first) == 0 && ::stat(right.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
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
std::string AccessLine(std::string_view operation, const HttpRequest& request, int status, std::string_view body,
                       std::chrono::steady_clock::duration took) {
  std::string line;
  JsonWriter json(line);
  json.StartObject();
  json.Field("time", TimeNow().ToRfc3339());
  json.Field("operation", operation);
  json.Key("status"), json.Unsigned(static_cast<std::uint64_t>(status));
  json.Key("microseconds");
  json.Unsigned(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  json.Key("received_bytes"), json.Unsigned(request.body_bytes);
  json.Field("through", request.local ? "unix" : "tcp");
  if (status >= 400) json.OptionalField("code", FindJsonString(body, "code"));
  json.EndObject();
  return line;
}

std::string NotificationLine(std::string_view kind, bool sent) {
  std::string line;
  JsonWriter json(line);
  json.StartObject();
  json.Field("time", TimeNow().ToRfc3339());
  json.Field("notification", kind);
  json.Field("outcome", sent ? "sent" : "failed");
  json.EndObject();
  return line;
}

bool Encrypts(const ServiceOptions& options) { return !options.tls_certificate.empty(); }

// Null: nothing encrypts.
Result<std::unique_ptr<TlsServer>> LoadTls(const ServiceOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return Wrong("--tls-cert and --tls-key go together");
  }
  if (!Encrypts(options)) return nullptr;
  return TlsServer::Load(options.tls_certificate, options.tls_key);
}

Result<std::vector<std::unique_ptr<NotificationTarget>>> NotificationTargets(const ServiceOptions& options) {
  const SecretString key(options.notify_key);
  std::vector<std::unique_ptr<NotificationTarget>> targets;
  for (const std::string& text : options.notify) {
    targets.push_back(TURNLOG_TRY(ParseNotificationTarget(text, key)));
  }
  return targets;
}

class RunningService : public Service, private HttpApplication {
 public:
  RunningService(Log& log, const ServiceOptions& options)
      : log_(log, [this](const LogChange& change) { OnChange(change); }),
        state_(log_, NewInstance(), options.sessions, options.tokens),
        access_log_(options.access_log),
        socket_(options.socket) {
    AppendHeader(kInstanceHeader, state_.instance, local_headers_);
    web_headers_ = local_headers_;
    AppendHeader("X-Content-Type-Options", "nosniff", web_headers_);
    AppendHeader("Referrer-Policy", "no-referrer", web_headers_);
    AppendHeader("Cross-Origin-Resource-Policy", "same-origin", web_headers_);
    state_.files = {.verify = options.verify, .reindex = options.reindex};
    state_.set_compression = options.set_compression;
    state_.syncs = options.syncs;
    state_.report = [this](auto&&... request) { Report(request...); };
    state_.connections = [this] { return server_ == nullptr ? 0 : server_->connections(); };
    state_.body_memory = [this] { return server_ == nullptr ? 0 : server_->body_memory(); };
  }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;
  ~RunningService() override { RunningService::Stop(); }

  Status Open(const ServiceOptions& options) {
    tls_ = TURNLOG_TRY(LoadTls(options));
    const unsigned threads = options.threads != 0
                                 ? options.threads
                                 : std::max(kFewestThreads, kThreadsPerProcessor * std::thread::hardware_concurrency());
    std::vector<ListeningSocket> sockets = TURNLOG_TRY(OpenSockets(options));
    std::ranges::partition(sockets, [](const ListeningSocket& each) { return each.address.local(); });
    if (sockets.empty()) return Wrong("the service has no address");
    const SocketAddress last = sockets.back().address;
    if (!last.local()) TURNLOG_TRY(CheckTcp(last, options));
    const auto address =
        TURNLOG_TRY(PublicAddress::Parse(last, options.public_url, options.base_path, Encrypts(options)));
    state_.has_page = !last.local();
    state_.rules.emplace(options.token, address, state_.sessions, state_.tokens);
    TURNLOG_TRY(StartNotifiers(options));
    HttpLimits limits;
    if (options.body_memory != 0) limits.body_memory = options.body_memory;
    limits.body_bytes = std::max(limits.body_bytes, limits.body_memory / CollectedBody::kCostOfByte);
    server_ = HttpServer::Make(std::move(sockets), limits, tls_.get());
    return server_->Start(*this, threads);
  }

  Log& log() override { return log_; }

  std::vector<std::string> locations() const override {
    std::vector<std::string> locations;
    for (const SocketAddress& address : server_->addresses()) {
      const char* const scheme = address.local() ? "unix:" : tls_ != nullptr ? "https://" : "http://";
      locations.push_back(scheme + address.ToText());
    }
    return locations;
  }

  std::string PairingLink(const std::string& who) override {
    if (!state_.has_page) return {};
    return turnlog::PairingLink(state_, state_.sessions.MakeCode({.who = who, .token_hash = {}}, TimeNow()));
  }

  Status ReloadCertificate() override { return tls_ == nullptr ? Status() : tls_->Reload(); }

  void Stop() override {
    if (server_ != nullptr) StopServing();
    if (std::exchange(owns_socket_, false)) (void)::unlink(socket_.c_str());
    server_.reset();
  }

 private:
  void StopServing() {
    server_->Stop(kGrace);
    state_.jobs.Stop();
    {
      const std::scoped_lock lock(notifiers_mutex_);
      notifiers_.clear();
    }
  }

  // All that were passed on, and those that are missing then.
  Result<std::vector<ListeningSocket>> OpenSockets(const ServiceOptions& options) {
    std::vector<ListeningSocket> sockets;
    for (const int number : options.inherited) {
      sockets.push_back(TURNLOG_TRY(InheritSocket(number)));
      if (sockets.back().address.local()) TURNLOG_TRY(CheckPrivate(sockets.back().address));
    }
    const auto is_socket = [&](const ListeningSocket& each) {
      return each.address.local() && IsSameFile(each.address.path, options.socket);
    };
    if (!options.socket.empty() && std::ranges::none_of(sockets, is_socket)) {
      sockets.push_back(TURNLOG_TRY(Listen({.path = options.socket, .host = {}})));
      owns_socket_ = true;
    }
    const auto tcp = std::ranges::count_if(sockets, [](const ListeningSocket& each) { return !each.address.local(); });
    if (tcp > 1) return Wrong("a service has one TCP address at most");
    if (options.listen.empty()) return sockets;
    if (tcp > 0) return Wrong("the process was started with a listening socket: give no other address");
    const SocketAddress address = TURNLOG_TRY(ParseTcpAddress(options.listen));
    TURNLOG_TRY(CheckTcp(address, options));
    sockets.push_back(TURNLOG_TRY(Listen(address)));
    return sockets;
  }

  // Who can open a Unix socket has all rights.
  static Status CheckPrivate(const SocketAddress& socket) {
    struct stat status{};
    const bool known = ::stat(socket.path.c_str(), &status) == 0;
    if (known && status.st_uid == ::geteuid() && (status.st_mode & 0077) == 0) return {};
    return Wrong(fmt::format("{} can be opened by others: it must be this user's, with mode 0600 (SocketMode=0600)",
                             socket.path.string()));
  }

  static Status CheckTcp(const SocketAddress& address, const ServiceOptions& options) {
    if (!IsLoopback(address) && !options.behind_proxy && !Encrypts(options)) {
      return Wrong(
          "other machines reach this address: that needs --tls-cert and --tls-key, or a proxy that encrypts and "
          "--behind-proxy");
    }
    const bool renamed = options.behind_proxy || IsWildcard(address);
    if (renamed && options.public_url.empty()) return Wrong("--behind-proxy, and all addresses, need --public-url");
    if (options.token.empty() || options.token.size() >= kMinTokenBytes) return {};
    return Wrong(fmt::format("the token must have at least {} characters", kMinTokenBytes));
  }

  void OnChange(const LogChange& change) {
    state_.metrics.CountAppend(change.events, change.durability == Durability::kSync, change.took);
    state_.overview.Forget(change.conversation.text());
    if (change.rewritten) {
      state_.shared_overview.Forget();
      state_.feed.Forget();
      state_.unfinished.Forget();
    }
    state_.hub.Notify(change.conversation.text());
    const std::scoped_lock lock(notifiers_mutex_);
    for (const auto& notifier : notifiers_) notifier->Wake();
  }

  Status StartNotifiers(const ServiceOptions& options) {
    const auto on_outcome = [this](std::string_view kind, bool sent) {
      state_.metrics.CountNotification(kind, sent);
      if (access_log_) access_log_(NotificationLine(kind, sent));
    };
    auto targets = TURNLOG_TRY(NotificationTargets(options));
    const std::string link = state_.has_page ? state_.rules->address().page_url() : "";
    const std::scoped_lock lock(notifiers_mutex_);
    for (auto& target : targets) {
      notifiers_.push_back(std::make_unique<Notifier>(log_, std::move(target), link, NotifierTimes{}, on_outcome));
    }
    return {};
  }

  RouteMatch RouteOf(const HttpRequest& head) const {
    const PublicAddress& address = state_.rules->address();
    return FindRoute(head.method, head.local ? head.path : address.WithoutBase(head.path));
  }

  std::optional<AccessRight> NeedsOf(const RouteMatch& match, const HttpRequest& request) const {
    if (match.route != nullptr) return match.route->right;
    return IsBase(request) ? std::nullopt : std::optional(AccessRight::kRead);
  }

  HttpResponse Admit(const HttpRequest& head) override {
    const auto needs = NeedsOf(RouteOf(head), head);
    if (auto refusal = state_.rules->Refuse(head, needs)) return Finish(*std::move(refusal), "refused", head, {});
    if (!needs && !IsSmall(head)) return Finish(ProblemResponse(413, "the body is too large"), "refused", head, {});
    return {};
  }

  HttpResponse Handle(const HttpRequest& request) override {
    const auto begin = std::chrono::steady_clock::now();
    const RouteMatch match = RouteOf(request);
    // Again: the body may have taken long, and the token may be gone.
    auto refusal = state_.rules->Refuse(request, NeedsOf(match, request));
    HttpResponse response = refusal ? *std::move(refusal) : Dispatch(match, request);
    const std::string_view operation = match.route == nullptr ? "unknown" : match.route->operation;
    return Finish(std::move(response), operation, request, std::chrono::steady_clock::now() - begin);
  }

  std::shared_ptr<BodySink> SinkFor(const HttpRequest& head, std::optional<std::uint64_t> length) override {
    const RouteMatch match = RouteOf(head);
    return match.route == nullptr || match.route->sink == nullptr ? nullptr : match.route->sink(head, length);
  }

  HttpResponse Refuse(const HttpRequest& request, int status, std::string_view reason) override {
    HttpResponse response = ProblemResponse(status, reason);
    if (status == kNoRoom) response.headers.push_back({"Retry-After", std::string(kRetryAfter)});
    return Finish(std::move(response), "refused", request, {});
  }

  HttpResponse RefuseBody(const HttpRequest& request, const Error& error) override {
    const RouteMatch match = RouteOf(request);
    const std::string_view operation = match.route == nullptr ? "unknown" : match.route->operation;
    return Finish(ProblemResponse(error), operation, request, {});
  }

  // The page's links are relative, so its address must end with a slash.
  bool IsBase(const HttpRequest& request) const {
    const std::string& base = state_.rules->address().base_path();
    return !request.local && !base.empty() && request.path == base;
  }
  HttpResponse ToPage() const {
    return {.status = 308, .headers = {{"Location", state_.rules->address().base_path() + "/"}}, .body = {}};
  }

  HttpResponse Dispatch(const RouteMatch& match, const HttpRequest& request) {
    if (match.route == nullptr) {
      if (IsBase(request)) return ToPage();
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
    response.common = request.local ? local_headers_ : web_headers_;
    if (!request.local && FindHeader(response.headers, "Cache-Control").empty()) {
      response.headers.push_back({"Cache-Control", "no-store"});
    }
    Report(operation, request, response.status, response.body, took);
    return response;
  }

  void Report(std::string_view operation, const HttpRequest& request, int status, std::string_view body,
              std::chrono::steady_clock::duration took) {
    state_.metrics.CountRequest(operation, status);
    state_.metrics.CountReceived(request.body_bytes);
    if (access_log_) access_log_(AccessLine(operation, request, status, body, took));
  }

  ObservedLog log_;
  ServiceState state_;
  std::string local_headers_, web_headers_;  // of every response; browsers, for which the others are, come through TCP
  const std::function<void(std::string_view)> access_log_;
  const std::filesystem::path socket_;
  bool owns_socket_ = false;  // made here, and to be removed
  std::mutex notifiers_mutex_;
  std::vector<std::unique_ptr<Notifier>> notifiers_;
  std::unique_ptr<TlsServer> tls_;  // null: nothing is encrypted here
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

Status Service::CheckCertificate(const ServiceOptions& options) {
  TURNLOG_TRY(LoadTls(options));
  return {};
}

Status Service::CheckNotifications(const ServiceOptions& options) {
  TURNLOG_TRY(NotificationTargets(options));
  return {};
}

Status Service::CheckPublicAddress(const ServiceOptions& options) {
  TURNLOG_TRY(PublicAddress::Parse({}, options.public_url, options.base_path, Encrypts(options)));
  return {};
}

Result<std::unique_ptr<Service>> Service::Start(Log& log, const ServiceOptions& options) {
  auto service = std::make_unique<RunningService>(log, options);
  TURNLOG_TRY(service->Open(options));
  return service;
}

}  // namespace turnlog
