// A proxy between a client and a server's Unix socket that cuts the connection after a number of bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "tests/support/temp_dir.h"

namespace turnlog {

class CuttingProxy {
 public:
  enum class Direction { kToServer, kToClient };

  // Listens in a folder of its own on a socket of the same name as `server`, the path of the server's socket.
  explicit CuttingProxy(std::string server);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::string folder() const { return folder_.path().string(); }
  // Passes so many more bytes in this direction, then cuts the connection that sends the next one, once.
  void CutAfter(Direction direction, std::uint64_t bytes);
  // Whether it has been cut since.
  bool HasCut() const { return left_ < 0; }

 private:
  void Serve();
  void Forward(int client);
  // How many of these bytes may pass; fewer mean a cut.
  std::int64_t Admit(Direction direction, std::int64_t bytes);

  const TempDir folder_;
  const std::string server_;
  int listener_ = -1;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  Direction direction_ = Direction::kToServer;
  std::atomic<std::int64_t> left_ = INT64_MAX;
  std::thread accepting_;
  std::list<std::thread> connections_;
};

}  // namespace turnlog
