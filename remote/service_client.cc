#include "remote/service_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "base/try.h"
#include "remote/append_message.h"
#include "remote/problem.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kConnectTime{5000};
constexpr milliseconds kAnswerTime{120'000};  // a sync on a disk that is busy, or an erasure
constexpr milliseconds kLongestPause{200};
constexpr milliseconds kRoomPause{500};
constexpr int kSwitching = 101, kUnavailable = 503;
constexpr std::size_t kMaxAnswer = std::size_t{1} << 30;

std::string NewLaneId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", random());
  return id;
}

}  // namespace

// When a call that lost its connection is sent again: at once, then after growing pauses. Patience begins when the
// service is lost, however long the call had waited for its answer, or in a queue.
class ServiceClient::Retries {
 public:
  explicit Retries(const ServiceClient& client, steady_clock::time_point since = steady_clock::now())
      : outage_(client.outage_), patience_(client.patience()), begin_(since) {}

  // Whether to try again although the service has answered: it had no room for the request, and did nothing.
  bool WaitForRoom(const Outcome& outcome) const {
    if (!outcome.no_room || steady_clock::now() >= begin_ + kAnswerTime) return false;
    std::this_thread::sleep_for(kRoomPause);
    return true;
  }
  // Whether to try again after this error.
  bool Wait(const Error& error) {
    if (error.code != ErrorCode::kIo) return false;
    const auto now = steady_clock::now();
    if (now >= std::max(begin_, outage_.Begin(now)) + patience_) return false;
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(std::max(pause_ * 2, milliseconds(1)), kLongestPause);
    return true;
  }

 private:
  ServiceOutage& outage_;
  const milliseconds patience_;
  const steady_clock::time_point begin_;
  milliseconds pause_{0};
};

Status ServiceClient::MustBeOpen() const {
  if (!closed_) return {};
  return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
}

std::unique_ptr<ServiceLane> ServiceClient::TakeLane(Lanes& idle) {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle.empty()) {
      auto lane = std::move(idle.back());
      idle.pop_back();
      return lane;
    }
  }
  auto lane = std::make_unique<ServiceLane>();
  lane->id = NewLaneId();
  return lane;
}

void ServiceClient::ReturnLane(Lanes& idle, std::unique_ptr<ServiceLane> lane) {
  if (lane->connection != nullptr && !lane->connection->reusable()) lane->connection.reset();
  const std::scoped_lock lock(mutex_);
  idle.push_back(std::move(lane));
}

// A service that is not there now was there before: it is not an answer to the call.
Status ServiceClient::Dial(ServiceLane& lane) const {
  auto connection = options_.web ? HttpConnection::Open(*options_.web, *options_.tls, kConnectTime)
                                 : HttpConnection::Open(options_.address, kConnectTime);
  if (!connection) {
    Error error = std::move(connection).error();
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kIo;
    return std::unexpected(std::move(error));
  }
  lane.connection = *std::move(connection);
  return {};
}

// Asks who answers, so that a write knows to which instance it was sent.
Status ServiceClient::Connect(ServiceLane& lane) const {
  if (lane.connection != nullptr && lane.connection->alive()) return {};
  TURNLOG_TRY(Dial(lane));
  Outcome outcome;
  TURNLOG_TRY(Exchange(lane, {.method = "GET", .target = "/healthz", .headers = {}, .body = {}}, {}, outcome));
  return {};
}

Result<HttpConnection::Head> ServiceClient::Send(ServiceLane& lane, const HttpCall& call, milliseconds wait) const {
  if (lane.connection == nullptr) TURNLOG_TRY(Dial(lane));
  HttpCall sent = call;
  if (options_.web) sent.target = options_.web->target + call.target;
  if (!options_.token.empty()) sent.headers.push_back({"Authorization", "Bearer " + options_.token});
  HttpConnection::Head head = TURNLOG_TRY(lane.connection->Send(sent, kAnswerTime + wait));
  outage_.End();
  lane.instance = FindHeader(head.headers, kInstanceHeader);
  return head;
}

Result<std::string> ServiceClient::Exchange(ServiceLane& lane, const HttpCall& call, milliseconds wait,
                                            Outcome& outcome) const {
  auto head = Send(lane, call, wait);
  if (!head) {
    lane.connection.reset();
    return std::unexpected(std::move(head).error());
  }
  outcome.status = head->status;
  outcome.no_room = head->status == kUnavailable && !FindHeader(head->headers, "Retry-After").empty();
  auto body = lane.connection->ReadAll(kMaxAnswer);
  if (!body || !lane.connection->reusable()) lane.connection.reset();
  return body;
}

// Sent again only to a service that answers: its answer to this call may take long, and be lost once more.
Result<std::string> ServiceClient::Call(const HttpCall& call, milliseconds wait) {
  auto lane = TakeLane(idle_);
  Retries retries(*this);
  for (bool lost = false;;) {
    TURNLOG_TRY(MustBeOpen());
    Outcome outcome;
    const Status there = lost ? Connect(*lane) : Status();
    auto answer = there ? Exchange(*lane, call, wait, outcome) : Result<std::string>(std::unexpected(there.error()));
    if (answer ? retries.WaitForRoom(outcome) : retries.Wait(answer.error())) {
      lost = !answer;
      continue;
    }
    ReturnLane(idle_, std::move(lane));
    if (answer && outcome.status >= 400) return std::unexpected(FromProblem(outcome.status, *answer));
    return answer;
  }
}

Result<std::string> ServiceClient::Write(HttpCall call, steady_clock::time_point since) {
  auto lane = TakeLane(idle_);
  Retries retries(*this, since);
  Status connected = Connect(*lane);
  while (!connected && MustBeOpen() && retries.Wait(connected.error())) connected = Connect(*lane);
  call.headers.push_back({std::string(kWriteHeader), fmt::format("{}/{}", lane->id, ++lane->writes)});
  const std::string instance = lane->instance;
  for (bool lost = false;;) {
    TURNLOG_TRY(MustBeOpen());
    Outcome outcome;
    auto answer = Exchange(*lane, call, {}, outcome);
    if (answer && retries.WaitForRoom(outcome)) continue;
    if (!answer && retries.Wait(answer.error())) {
      if (!std::exchange(lost, true)) call.headers.push_back({std::string(kRetryHeader), instance});
      continue;
    }
    ReturnLane(idle_, std::move(lane));
    if (answer && outcome.status >= 400) return std::unexpected(FromProblem(outcome.status, *answer));
    return answer;
  }
}

// As a stream of appends of this lane.
Status ServiceClient::ConnectStream(ServiceLane& lane) const {
  if (lane.connection != nullptr && lane.connection->alive()) return {};
  lane.connection.reset();
  const HttpCall call{.method = "GET",
                      .target = "/v1/append-stream?lane=" + lane.id,
                      .headers = {{"Connection", "Upgrade"}, {"Upgrade", std::string(kAppendStream)}},
                      .body = {}};
  auto head = Send(lane, call, {});
  if (head && head->status == kSwitching) return {};
  lane.connection.reset();
  if (!head) return std::unexpected(std::move(head).error());
  return std::unexpected(Error{ErrorCode::kIo, "the service does not stream appends any more: open the log again"});
}

Result<std::string> ServiceClient::Ask(ServiceLane& lane, std::span<std::string_view> message,
                                       std::string& instance) const {
  TURNLOG_TRY(ConnectStream(lane));
  const auto head = EncodeHead(lane.writes, !instance.empty() && instance != lane.instance);
  if (instance.empty()) instance = lane.instance;
  message.front() = {head.data(), head.size()};
  auto answer = lane.connection->Ask(message, kAnswerTime);
  answer ? outage_.End() : lane.connection.reset();
  return answer;
}

Result<std::string> ServiceClient::Append(std::span<const std::string_view> appends, steady_clock::time_point since) {
  auto lane = TakeLane(idle_streams_);
  ++lane->writes;
  Retries retries(*this, since);
  std::vector<std::string_view> message(appends.size() + 1);
  std::ranges::copy(appends, message.begin() + 1);
  std::string instance;
  for (;;) {
    TURNLOG_TRY(MustBeOpen());
    const auto answer = Ask(*lane, message, instance);
    if (!answer && retries.Wait(answer.error())) continue;
    ReturnLane(idle_streams_, std::move(lane));
    return answer ? ReadAnswer(*answer) : answer;
  }
}

Result<std::unique_ptr<ServiceClient::Body>> ServiceClient::Open(const HttpCall& call) {
  auto lane = TakeLane(idle_);
  Retries retries(*this);
  for (;;) {
    TURNLOG_TRY(MustBeOpen());
    auto head = Send(*lane, call, {});
    if (head && head->status < 400) return std::make_unique<Body>(*this, std::move(lane));
    if (head) {
      const std::string problem = TURNLOG_TRY(lane->connection->ReadAll(kMaxAnswer));
      ReturnLane(idle_, std::move(lane));
      return std::unexpected(FromProblem(head->status, problem));
    }
    lane->connection.reset();
    if (!retries.Wait(head.error())) return std::unexpected(std::move(head).error());
  }
}

Result<std::size_t> ServiceClient::Body::Read(std::span<char> out) {
  TURNLOG_TRY(client_.MustBeOpen());
  return lane_->connection->Read(out);
}

}  // namespace turnlog
