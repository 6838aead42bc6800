// The tests of the agent's side again, over a service: whatever they do with a log goes through a connection.
#include <gtest/gtest.h>

#include "log/forwarding_log.h"
#include "tests/store/log_fixture.h"
#include "tests/support/temp_dir.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/service.h"

namespace turnlog::served_logs {
namespace {

struct Served {
  explicit Served(std::unique_ptr<Log> served)
      : log(std::move(served)),
        service(Must(Service::Start(*log, {.socket = folder / "socket", .threads = 2}))),
        remote(Must(OpenRemoteLog("unix:" + (folder / "socket").string()))) {}

  const TempDir folder;
  const std::unique_ptr<Log> log;
  std::unique_ptr<Service> service;
  std::unique_ptr<Log> remote;
};

class ServedLog : private Served, public ForwardingLog {
 public:
  explicit ServedLog(std::unique_ptr<Log> served) : Served(std::move(served)), ForwardingLog(*remote) {}

  Status Close() override {
    Must(remote->Close());
    service.reset();
    return log->Close();
  }
};

std::unique_ptr<Log> Serve(std::unique_ptr<Log> log) { return std::make_unique<ServedLog>(std::move(log)); }

[[maybe_unused]] const bool kServed = (LogTest::between = Serve, true);

using ServedLogTest = LogTest;

TEST_F(ServedLogTest, IsWhatTheOtherTestsHave) { EXPECT_NE(dynamic_cast<ServedLog*>(log_.get()), nullptr); }

}  // namespace
}  // namespace turnlog::served_logs
