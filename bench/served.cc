// turnlog through a service in another process.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "bench/engine.h"
#include "turnlog/service/remote_log.h"

namespace turnlog {
namespace {

class ServiceProcess {
 public:
  explicit ServiceProcess(const std::filesystem::path& folder) {
    std::string program = TURNLOG_SERVED_PROCESS, store = folder.string(), socket = ServiceSocket(folder).string();
    char* const arguments[] = {program.data(), store.data(), socket.data(), nullptr};
    if (::posix_spawn(&process_, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
      Fail("cannot start " + program);
    }
    while (!OpenRemoteLog("unix:" + socket)) {  // until it listens or has ended
      if (::waitpid(process_, nullptr, WNOHANG) != 0) Fail("the service has ended");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;
  ~ServiceProcess() {
    (void)::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = 0;
};

enum class Clients : std::uint8_t { kOne, kPerThread };

// A folder that a service has open is opened through the service.
class Served : public Engine {
 public:
  Served(const std::filesystem::path& folder, Clients clients) : folder_(folder), service_(folder), clients_(clients) {}

  std::uint64_t AppendLater(const Batch& batch) override { return Client().AppendLater(batch); }
  void Wait(std::uint64_t ticket, Durability durability) override { Client().Wait(ticket, durability); }
  void Settle() override { Client().Settle(); }
  Seen ReadAll(Depth depth) override { return Client().ReadAll(depth); }
  Seen ReadConversation(std::uint32_t conversation) override { return Client().ReadConversation(conversation); }

 private:
  Engine& Client() {
    const auto key = clients_ == Clients::kOne ? std::thread::id() : std::this_thread::get_id();
    const std::scoped_lock lock(mutex_);
    auto& client = engines_[key];
    if (client == nullptr) client = kTurnlog.open(folder_, Durability::kSync);
    return *client;
  }

  const std::filesystem::path folder_;
  ServiceProcess service_;
  const Clients clients_;
  std::mutex mutex_;
  std::map<std::thread::id, std::unique_ptr<Engine>> engines_;  // closed before the service ends
};

template <Clients clients>
std::unique_ptr<Engine> OpenServed(const std::filesystem::path& folder, Durability) {
  return std::make_unique<Served>(folder, clients);
}

}  // namespace

const EngineKind kServed{"served", OpenServed<Clients::kOne>};
const EngineKind kServedApart{"served, a client for each writer", OpenServed<Clients::kPerThread>};

}  // namespace turnlog
