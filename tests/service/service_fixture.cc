#include "tests/service/service_fixture.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>

namespace turnlog {

void ServiceTest::Start() {
  const auto syncs = std::make_shared<SyncMetrics>();
  const auto on_sync = [syncs](const SyncReport& report) { syncs->Add(report.took, report.appends, report.bytes); };
  log_ = Must(OpenSegmentLog(folder_ / "store", {.holder = "test", .on_sync = on_sync}));
  options_.syncs = syncs;
  options_.socket = Address().path;
  options_.threads = 4;
  service_ = Must(Service::Start(*log_, options_));
}

void ServiceTest::Stop() {
  service_.reset();
  if (log_ != nullptr) Must(log_->Close());
  log_.reset();
}

Reply ServiceTest::Send(std::string_view method, const std::string& target, std::string_view body,
                        const std::vector<HttpHeader>& headers) {
  const auto connection = Must(HttpConnection::Open(Address(), std::chrono::seconds(30)));
  const auto head = Must(connection->Send({method, target, headers, {body}}, std::chrono::seconds(60)));
  return {head.status, head.headers, Must(connection->ReadAll(std::size_t{1} << 30))};
}

std::string ServiceTest::SendRaw(std::string_view bytes, const SocketAddress& address) {
  const SocketDescriptor socket = Must(Connect(address, std::chrono::seconds(30)));
  (void)::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  (void)::shutdown(socket.number(), SHUT_WR);
  std::string answer;
  std::array<char, 4096> piece{};
  for (;;) {
    pollfd waiting{.fd = socket.number(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 30'000) != 1) return answer + "(no end)";
    const ssize_t got = ::recv(socket.number(), piece.data(), piece.size(), 0);
    if (got <= 0) return answer;
    answer.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace turnlog
