#include "http/message_loop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <vector>

#include "base/coding.h"

namespace turnlog::message_loop_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Answers with what it has got, in brackets.
class Echo : public MessageHandler {
 public:
  Answer Handle(std::string_view message) override {
    handled.push_back(std::string(message));
    return [this, text = "[" + std::string(message) + "]"] {
      handled_before_answer.push_back(handled.size());
      if (on_answer) on_answer();
      return text + filling;
    };
  }

  // On the loop's thread.
  std::vector<std::string> handled;
  std::vector<std::size_t> handled_before_answer;
  std::function<void()> on_answer;
  std::string filling;
};

// The client's end of a connection.
class Client {
 public:
  Client() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    EXPECT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    mine_ = SocketDescriptor(ends[0]);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    EXPECT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    other_ = std::make_shared<SocketDescriptor>(ends[1]);
  }

  static std::string Message(std::string_view text) {
    std::string bytes(8, '\0');
    StoreLittle(bytes.data(), std::uint64_t{text.size()});
    return bytes += text;
  }
  void SendBytes(std::string_view bytes) const {
    EXPECT_EQ(::send(mine_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void Send(std::string_view text) const { SendBytes(Message(text)); }
  // Empty: the connection has ended.
  std::string Receive() const {
    std::string head(8, '\0');
    if (!Fill(head)) return {};
    std::string text(LoadLittle<std::uint64_t>(head.data()), '\0');
    return Fill(text) ? text : std::string();
  }
  bool HasEnded() const {
    char next = 0;
    return ::recv(mine_.number(), &next, 1, 0) == 0;
  }
  void Close() { mine_ = {}; }
  MessageLoop::Connection Connection(const std::shared_ptr<MessageHandler>& handler) {
    const int socket = other_->number();
    return {.socket = socket, .owner = std::move(other_), .on_message = [] {}, .handler = handler};
  }

 private:
  bool Fill(std::string& text) const {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t got = ::recv(mine_.number(), text.data() + at, text.size() - at, 0);
      if (got <= 0) return false;
      at += static_cast<std::size_t>(got);
    }
    return true;
  }

  SocketDescriptor mine_;
  std::shared_ptr<SocketDescriptor> other_;
};

class MessageLoopTest : public testing::Test {
 protected:
  MessageLoopTest() { EXPECT_TRUE(loop_.Start()); }
  void Add(Client& client, std::string_view received = {}) { loop_.Add(client.Connection(echo_), received); }

  const std::shared_ptr<Echo> echo_ = std::make_shared<Echo>();
  MessageLoop loop_;
  Client client_;
};

TEST_F(MessageLoopTest, EachMessageIsAnswered) {
  Add(client_);
  for (const char* text : {"one", "", "three"}) {
    client_.Send(text);
    EXPECT_EQ(client_.Receive(), "[" + std::string(text) + "]");
  }
}

TEST_F(MessageLoopTest, WhatHadComeBeforeIsAnswered) {
  Add(client_, Client::Message("one") + Client::Message("two").substr(0, 9));
  EXPECT_EQ(client_.Receive(), "[one]");
  client_.SendBytes("wo");
  EXPECT_EQ(client_.Receive(), "[two]");
}

TEST_F(MessageLoopTest, MessagesMayComeInPiecesAndTogether) {
  Add(client_);
  for (const char byte : Client::Message("bytes")) client_.SendBytes({&byte, 1});
  EXPECT_EQ(client_.Receive(), "[bytes]");
  client_.SendBytes(Client::Message("a") + Client::Message("b") + Client::Message("c"));
  for (const char* answer : {"[a]", "[b]", "[c]"}) EXPECT_EQ(client_.Receive(), answer);
}

TEST_F(MessageLoopTest, TheLongestMessageIsAnsweredAndALongerOneEndsTheConnection) {
  Add(client_);
  std::string longest(kMaxMessage, 'x');
  std::thread sender([&] { client_.Send(longest); });
  EXPECT_EQ(client_.Receive().size(), longest.size() + 2);
  sender.join();
  client_.SendBytes(Client::Message(longest + "x").substr(0, 8));
  EXPECT_TRUE(client_.HasEnded());
  EXPECT_EQ(echo_->handled.size(), 1U);
}

// What answers wait for is waited for together.
TEST_F(MessageLoopTest, AllThatHaveComeAreHandledBeforeAnyOfThemIsAnswered) {
  std::latch waiting(1), go_on(1);
  echo_->on_answer = [&] {
    if (echo_->handled.size() == 1) waiting.count_down(), go_on.wait();
  };
  std::vector<Client> clients(8);
  for (Client& each : clients) Add(each);
  Add(client_);
  client_.Send("first");
  waiting.wait();
  for (const Client& each : clients) each.Send("later");
  go_on.count_down();
  EXPECT_EQ(client_.Receive(), "[first]");
  for (const Client& each : clients) EXPECT_EQ(each.Receive(), "[later]");
  EXPECT_THAT(echo_->handled_before_answer, ElementsAre(1, 9, 9, 9, 9, 9, 9, 9, 9));
}

TEST_F(MessageLoopTest, AClientThatDoesNotReadKeepsNobodyWaiting) {
  echo_->filling.assign(std::size_t{8} << 20, 'x');
  Client other;
  Add(client_), Add(other);
  client_.Send("slow");
  std::string answer;
  other.Send("quick");
  EXPECT_EQ(other.Receive().substr(0, 7), "[quick]");
  client_.Send("next");
  EXPECT_EQ(client_.Receive().size(), echo_->filling.size() + 6);
  EXPECT_EQ(client_.Receive().substr(0, 6), "[next]");
}

TEST_F(MessageLoopTest, AConnectionThatEndsIsDropped) {
  Add(client_);
  client_.Send("one");
  EXPECT_EQ(client_.Receive(), "[one]");
  const std::weak_ptr<Echo> echo = echo_;
  const long users = echo.use_count();
  client_.Close();
  while (echo.use_count() == users) std::this_thread::yield();
}

TEST_F(MessageLoopTest, StoppingEndsAllConnections) {
  Add(client_);
  client_.Send("one");
  EXPECT_EQ(client_.Receive(), "[one]");
  loop_.Stop();
  EXPECT_TRUE(client_.HasEnded());
  Client late;
  Add(late);
  EXPECT_TRUE(late.HasEnded());
}

TEST_F(MessageLoopTest, AMessageThatIsBeingAnsweredIsAnsweredBeforeTheEnd) {
  std::latch waiting(1), go_on(1);
  echo_->on_answer = [&] { waiting.count_down(), go_on.wait(); };
  Add(client_);
  client_.Send("one");
  waiting.wait();
  std::thread stopper([&] { loop_.Stop(); });
  go_on.count_down();
  EXPECT_EQ(client_.Receive(), "[one]");
  EXPECT_TRUE(client_.HasEnded());
  stopper.join();
}

TEST_F(MessageLoopTest, WithoutMemoryTheConnectionEnds) {
  echo_->on_answer = [] { throw std::bad_alloc(); };
  Add(client_);
  client_.Send("one");
  EXPECT_THAT(client_.Receive(), IsEmpty());
}

}  // namespace
}  // namespace turnlog::message_loop_test
