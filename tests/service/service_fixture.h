// A store that is served in this process, and requests to it.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"
#include "tests/store/log_fixture.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/service.h"

namespace turnlog {

struct Reply {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { Start(); }
  ~ServiceTest() override { Stop(); }

  void Start();
  void Stop();
  void Restart() { Stop(), Start(); }

  SocketAddress Address() const { return {.path = ServiceSocket(folder_ / "store"), .host = {}}; }
  std::unique_ptr<Log> OpenRemote() { return Must(OpenRemoteLog("unix:" + Address().path.string(), {.token = {}})); }
  // On a connection of its own.
  Reply Send(std::string_view method, const std::string& target, std::string_view body = {},
             const std::vector<HttpHeader>& headers = {});
  Reply Get(const std::string& target) { return Send("GET", target); }
  Reply Post(const std::string& target, std::string_view body) { return Send("POST", target, body); }
  // What comes back for these bytes until the connection is closed, or nothing more comes for a while.
  std::string SendRaw(std::string_view bytes) { return SendRaw(bytes, Address()); }
  static std::string SendRaw(std::string_view bytes, const SocketAddress& address);

  ServiceOptions options_;
  TempDir folder_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Service> service_;
  std::vector<std::string> access_lines_;
};

}  // namespace turnlog
