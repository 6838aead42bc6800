// Calls of a service, over connections that are kept, and made again when they are lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http/client.h"
#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::string_view kInstanceHeader = "Turnlog-Instance";  // of every response
inline constexpr std::string_view kWriteHeader = "Idempotency-Key";      // LANE/NUMBER
inline constexpr std::string_view kRetryHeader = "Turnlog-Retry-Of";     // the instance that got the first attempt

// A connection, and the numbers of the writes that were sent through it and its successors. The service keeps the
// answer to the last one of each lane, so that a write is not repeated if its answer was lost.
struct ServiceLane {
  std::unique_ptr<HttpConnection> connection;
  std::string id;
  std::uint64_t writes = 0;
  std::string instance;  // that the connection leads to
};

// Since when the service has been lost, for all calls of a client: those that had begun before wait for it from then
// on. Threads: all members may be called from any thread at once.
class ServiceOutage {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The service has answered.
  void End() {
    if (begin_.load(std::memory_order_relaxed) != kNone) begin_ = kNone;
  }
  // A call was lost at this time. Returns when the first one since the last answer was.
  Time Begin(Time now) {
    auto begin = kNone;
    return begin_.compare_exchange_strong(begin, now.time_since_epoch().count()) ? now : Time(Time::duration(begin));
  }

 private:
  static constexpr auto kNone = Time::max().time_since_epoch().count();

  std::atomic<Time::rep> begin_ = Time::min().time_since_epoch().count();  // a service that has never answered
};

// Threads: all members may be called from any thread at once.
class ServiceClient {
 public:
  struct Options {
    SocketAddress address;                 // unless `web` is set
    std::optional<WebAddress> web;         // https; its target comes before that of each call
    std::shared_ptr<const TlsClient> tls;  // for `web`
    std::string token;
    std::chrono::milliseconds patience;  // how long a call tries to reach a service that is lost
  };
  explicit ServiceClient(Options options) : options_(std::move(options)) {}

  // The body of the response; errors are those of the service, or kIo if it cannot be reached. Repeated if the
  // connection is lost: for calls that change nothing, or may happen twice. `wait`: how long the service may take
  // before it answers at all, beside the usual time.
  Result<std::string> Call(const HttpCall& call, std::chrono::milliseconds wait = {});
  Result<std::string> Get(std::string target, std::chrono::milliseconds wait = {}) {
    return Call({.method = "GET", .target = std::move(target), .headers = {}, .body = {}}, wait);
  }
  // A change that happens once, even if it is sent again. `since`: when its caller began to wait.
  Result<std::string> Write(HttpCall call,
                            std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now());

  // The same with synced appends (append_batch.h), as a message of a stream: for services that stream them, up to
  // kMaxStreamedAppends bytes. Gives their outcomes.
  Result<std::string> Append(std::span<const std::string_view> appends, std::chrono::steady_clock::time_point since);

  // The body of a response, piece by piece. kIo: the connection was lost.
  class Body {
   public:
    Body(ServiceClient& client, std::unique_ptr<ServiceLane> lane) : client_(client), lane_(std::move(lane)) {}
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    ~Body() { client_.ReturnLane(client_.idle_, std::move(lane_)); }
    Result<std::size_t> Read(std::span<char> out);

   private:
    ServiceClient& client_;
    std::unique_ptr<ServiceLane> lane_;
  };
  Result<std::unique_ptr<Body>> Open(const HttpCall& call);

  // Lost connections are not made again from now on.
  void StopRetrying() { patient_ = false; }
  // All calls fail from now on, with kNeedsReopen.
  void Close() { closed_ = true; }
  Status MustBeOpen() const;

 private:
  class Retries;
  std::chrono::milliseconds patience() const { return patient_ ? options_.patience : std::chrono::milliseconds(0); }

  using Lanes = std::vector<std::unique_ptr<ServiceLane>>;
  std::unique_ptr<ServiceLane> TakeLane(Lanes& idle);
  void ReturnLane(Lanes& idle, std::unique_ptr<ServiceLane> lane);
  // Errors of these are lost connections.
  Status Dial(ServiceLane& lane) const;
  Status Connect(ServiceLane& lane) const;
  Status ConnectStream(ServiceLane& lane) const;
  Result<HttpConnection::Head> Send(ServiceLane& lane, const HttpCall& call, std::chrono::milliseconds wait) const;
  struct Outcome {
    int status = 0;
    bool no_room = false;  // for the body: nothing was done, and it may be sent again
  };
  Result<std::string> Exchange(ServiceLane& lane, const HttpCall& call, std::chrono::milliseconds wait,
                               Outcome& outcome) const;
  // Sends the lane's last write, whose first part is free for its head. `instance`: to which it was sent first; empty:
  // to none.
  Result<std::string> Ask(ServiceLane& lane, std::span<std::string_view> message, std::string& instance) const;

  const Options options_;
  mutable ServiceOutage outage_;
  std::atomic<bool> closed_ = false, patient_ = true;
  std::mutex mutex_;
  Lanes idle_, idle_streams_;
};

}  // namespace turnlog
