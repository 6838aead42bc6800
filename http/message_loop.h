// Connections over which messages go instead of requests: each is answered before the next one. One thread reads and
// handles all messages that have come, then makes their answers, which may wait for one thing together (e.g. for a sync
// of the disk), and sends them. So a message costs no change of threads, and many wait without a thread each.
// On the wire: the length of a message (8 bytes, little-endian) and the message; an answer likewise.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/secret_string.h"
#include "http/socket.h"

namespace turnlog {

// What handles the messages of one connection. One thread at a time.
class MessageHandler {
 public:
  // Makes the answer; may block.
  using Answer = std::function<std::string()>;

  static constexpr std::size_t kMaxMessage = std::size_t{256} << 10;

  virtual ~MessageHandler() = default;
  // In a moment, because others wait for the thread. `message` is valid until the answer has been made or dropped.
  virtual Answer Handle(std::string_view message) = 0;
};

class MessageLoop {
 public:
  struct Connection {
    int socket = -1;
    std::shared_ptr<void> owner;       // of the socket
    std::function<void()> on_message;  // called for each one
    std::shared_ptr<MessageHandler> handler;
  };

  MessageLoop() = default;
  MessageLoop(const MessageLoop&) = delete;
  MessageLoop& operator=(const MessageLoop&) = delete;
  ~MessageLoop() { Stop(); }

  // False: the system has no descriptors to spare.
  bool Start();
  // From any thread, until Stop. `received`: what the client has already sent.
  void Add(Connection connection, std::string_view received);
  // Answers what has come, and drops all connections.
  void Stop();

 private:
  struct Peer {
    Connection connection;
    SecretString in;  // received, from the message that is being handled on
    MessageHandler::Answer answer;
    std::string out;
    std::size_t sent = 0;  // of `out`
    bool blocked = false;  // the client has to read before more of it can be sent
  };

  void Run();
  void Wait(int milliseconds);
  void TakeAdded();
  void Serve(Peer& peer);
  bool Receive(Peer& peer);
  void Begin(Peer& peer);
  void EndRound();
  bool EndMessage(Peer& peer);
  bool Send(Peer& peer);
  void Drop(Peer& peer);

  SocketDescriptor events_, wake_;
  std::unordered_map<int, std::unique_ptr<Peer>> peers_;  // by their sockets
  std::vector<Peer*> round_;                              // whose messages have been handled
  std::vector<Peer*> ready_;                              // which have sent the next one before they got an answer
  WipedVector<char> scratch_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Peer>> added_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace turnlog
