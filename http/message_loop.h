// Serves all connections over which messages go (message_handler.h). One thread reads and handles all messages that
// have come, then makes their answers, which may wait for one thing together (e.g. for a sync of the disk), and sends
// them. So a message costs no change of threads, and many wait without a thread each.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/secret_string.h"
#include "http/channel.h"
#include "http/message_handler.h"
#include "http/socket.h"

namespace turnlog {

class MessageLoop {
 public:
  struct Connection {
    int socket = -1;                   // non-blocking
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
    std::unique_ptr<Channel> channel;
    SecretString in;  // received, from the message that is being handled on
    MessageHandler::Answer answer;
    std::string out;
    std::size_t sent = 0;  // of `out`
    bool blocked = false;  // the client has to read before more of it can be sent
    std::list<Peer>::iterator self;
  };

  void Run();
  void Wait(int milliseconds);
  void TakeAdded();
  // Drops the peer unless `step` succeeds.
  void Do(bool (MessageLoop::*step)(Peer& peer), Peer& peer);
  void Drop(Peer& peer);
  // False: the connection has ended, or cannot go on.
  bool Watch(Peer& peer);
  bool Serve(Peer& peer);
  bool Receive(Peer& peer);
  bool Begin(Peer& peer);
  bool End(Peer& peer);
  bool Send(Peer& peer);

  SocketDescriptor events_, wake_;
  std::list<Peer> peers_;
  std::vector<Peer*> round_;  // whose messages have been handled
  std::vector<Peer*> ready_;  // which may have sent the next one already
  WipedVector<char> scratch_;

  std::mutex mutex_;
  std::list<Peer> added_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace turnlog
