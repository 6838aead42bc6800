// Messages about questions that wait: what is in them, when they are sent, and that nothing waits for them.
#include "service/notifier.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signals are POSIX
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "http/web_client.h"
#include "log/forwarding_log.h"
#include "remote/object_reader.h"
#include "service/digest.h"
#include "service/notification_target.h"
#include "tests/service/service_fixture.h"

namespace turnlog::notifier_test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kKey = "a key of sixteen";
constexpr milliseconds kLong{60'000};

// Keeps what it is sent.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> messages;
  std::vector<bool> outcomes;  // of the notifier
  int failures = 0;            // that are left
  bool hang = false, aborted = false;

  std::string Message(std::size_t index) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return messages.size() > index; });
    return messages[index];
  }
  bool Outcome(std::size_t index) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return outcomes.size() > index; });
    return outcomes[index];
  }
};

class MailTarget : public NotificationTarget {
 public:
  explicit MailTarget(Mailbox& mail) : mail_(mail) {}
  std::string_view kind() const override { return "mail"; }
  Status Send(const std::string& body, milliseconds) override {
    std::unique_lock lock(mail_.mutex);
    mail_.messages.push_back(body);
    mail_.changed.notify_all();
    mail_.changed.wait(lock, [&] { return !mail_.hang || mail_.aborted; });
    if (mail_.aborted || mail_.failures-- > 0) return std::unexpected(Error{ErrorCode::kIo, "no"});
    return {};
  }
  void Abort() override {
    const std::scoped_lock lock(mail_.mutex);
    mail_.aborted = true;
    mail_.changed.notify_all();
  }

 private:
  Mailbox& mail_;
};

class NotifierTest : public ServiceTest {
 protected:
  void Begin() {
    notifier_ = std::make_unique<Notifier>(*log_, std::make_unique<MailTarget>(mail_), "https://example.org/", times_,
                                           [this](std::string_view, bool sent) {
                                             const std::scoped_lock lock(mail_.mutex);
                                             mail_.outcomes.push_back(sent);
                                             mail_.changed.notify_all();
                                           });
  }
  void AskIn(const std::string& conversation) {
    Must(log_->Append(Id(conversation), std::vector{NewTurn(), Say("secret talk"), turnlog::Ask(Opaque("q"))}));
    if (notifier_ != nullptr) notifier_->Wake();
  }

  NotifierTimes times_{.gather = milliseconds(1), .interval = milliseconds(1), .attempt = kLong, .retries = {}};
  Mailbox mail_;
  std::unique_ptr<Notifier> notifier_;
};

TEST_F(NotifierTest, AMessageCountsWhatWaitsAndHasNoContent) {
  AskIn("private name");
  AskIn("b");
  Begin();
  const std::string first = mail_.Message(0);
  EXPECT_THAT(first, StartsWith(R"({"event":"blocked","id":")"));
  EXPECT_THAT(first, HasSubstr(R"("new":2,"waiting":2,"conversations":2,"link":"https://example.org/"})"));
  for (const char* const content : {"private", "secret", "q\""}) EXPECT_THAT(first, Not(HasSubstr(content)));
  AskIn("c");
  EXPECT_THAT(mail_.Message(1), HasSubstr(R"("new":1,"waiting":3,"conversations":3)"));
}

TEST_F(NotifierTest, WhatChangesOtherwiseIsNoMessage) {
  AskIn("a");
  Begin();
  mail_.Outcome(0);
  Must(log_->Append(Id("b"), std::vector{NewTurn(), Say("x")}));
  notifier_->Wake();
  Must(log_->Append(Id("a"), Answer(Opaque("q"))));
  notifier_->Wake();
  AskIn("c");
  EXPECT_THAT(mail_.Message(1), HasSubstr(R"("new":1,"waiting":1,"conversations":1)"));
}

TEST_F(NotifierTest, WhatIsBlockedMeanwhileIsOneMessage) {
  mail_.hang = true;
  AskIn("first");
  Begin();
  mail_.Message(0);
  for (int i = 0; i < 100; ++i) AskIn(fmt::format("c{}", i));
  {
    const std::scoped_lock lock(mail_.mutex);
    mail_.hang = false;
    mail_.changed.notify_all();
  }
  EXPECT_THAT(mail_.Message(1), HasSubstr(R"("new":100,"waiting":101)"));
}

TEST_F(NotifierTest, ALostMessageIsSentAgainAFewTimes) {
  times_.retries = {milliseconds(1), milliseconds(1)};
  mail_.failures = 2;
  AskIn("a");
  Begin();
  EXPECT_TRUE(mail_.Outcome(0));
  EXPECT_EQ(mail_.Message(0), mail_.Message(2));
  {
    const std::scoped_lock lock(mail_.mutex);
    mail_.failures = 3;
  }
  AskIn("b");
  EXPECT_FALSE(mail_.Outcome(1));
  EXPECT_EQ(mail_.Message(3), mail_.Message(5));
  EXPECT_NE(mail_.Message(5), mail_.Message(6));
}

TEST_F(NotifierTest, WhatALostMessageCountedIsInTheNextOne) {
  mail_.failures = 2;
  AskIn("a");
  AskIn("b");
  Begin();
  EXPECT_FALSE(mail_.Outcome(1));
  EXPECT_TRUE(mail_.Outcome(2));  // nothing has been added meanwhile
  EXPECT_THAT(mail_.Message(2), HasSubstr(R"("new":2,"waiting":2)"));
  AskIn("c");
  EXPECT_THAT(mail_.Message(3), HasSubstr(R"("new":1,"waiting":3)"));
}

// Cannot be read for a while.
class UnreadableLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override {
    if (failures_-- > 0) return std::unexpected(Error{ErrorCode::kIo, "no"});
    return ForwardingLog::PendingRaw(conversation);
  }

 private:
  int failures_ = 3;
};

TEST_F(NotifierTest, ALogThatCannotBeReadForAWhileIsReadAgain) {
  AskIn("a");
  UnreadableLog log(*log_);
  const Notifier notifier(log, std::make_unique<MailTarget>(mail_), "", times_, [](std::string_view, bool) {});
  EXPECT_THAT(mail_.Message(0), HasSubstr(R"("new":1,"waiting":1)"));
}

TEST_F(NotifierTest, ItEndsWhileItWaitsAndWhileItSends) {
  for (const bool sending : {false, true}) {
    times_.gather = sending ? milliseconds(1) : kLong;
    mail_.hang = true;
    mail_.aborted = false;
    AskIn(sending ? "a" : "b");
    Begin();
    if (sending) mail_.Message(0);
    notifier_.reset();
  }
}

// --- Targets ---

// A server for one request. It is listening when this is made.
class OneRequest {
 public:
  explicit OneRequest(std::string answer) : answer_(std::move(answer)), thread_([this] { Run(); }) {}
  ~OneRequest() { thread_.join(); }
  OneRequest(const OneRequest&) = delete;
  OneRequest& operator=(const OneRequest&) = delete;
  std::string url() const { return fmt::format("http://127.0.0.1:{}/hook?a=b", listener_.address.port); }
  // Once it is complete.
  std::string Request() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return request_.has_value(); });
    return *request_;
  }

 private:
  void Run() {
    pollfd waiting{.fd = listener_.descriptor.number(), .events = POLLIN, .revents = 0};
    (void)::poll(&waiting, 1, 30'000);
    const SocketDescriptor peer(::accept(listener_.descriptor.number(), nullptr, nullptr));
    std::string request;
    std::array<char, 4096> piece{};
    while (!request.ends_with('}')) {
      const ssize_t got = ::recv(peer.number(), piece.data(), piece.size(), 0);
      if (got <= 0) break;
      request.append(piece.data(), static_cast<std::size_t>(got));
    }
    {
      const std::scoped_lock lock(mutex_);
      request_ = request;
      changed_.notify_all();
    }
    (void)::send(peer.number(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
    while (answer_.empty() && ::recv(peer.number(), piece.data(), piece.size(), 0) > 0) continue;  // until it gives up
  }

  const std::string answer_;
  const ListeningSocket listener_ = Must(Listen({.path = {}, .host = "127.0.0.1"}));
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> request_;
  std::thread thread_;
};

std::unique_ptr<NotificationTarget> Target(const std::string& text) {
  return Must(ParseNotificationTarget(text, SecretString(kKey)));
}

TEST(WebhookTest, IsPostedWithASignature) {
  OneRequest server("HTTP/1.1 204 No Content\r\n\r\n");
  Must(Target("webhook:" + server.url())->Send(R"({"event":"blocked"})", kLong));
  const std::string request = server.Request();
  EXPECT_THAT(request, StartsWith("POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Length: 19\r\n"));
  const std::size_t begin = request.find("Turnlog-Signature: t=") + 21, comma = request.find(",v1=", begin);
  const std::string time = request.substr(begin, comma - begin);
  EXPECT_EQ(request.substr(comma + 4, 64), HmacSha256Hex(kKey, time + R"(.{"event":"blocked"})"));
  EXPECT_THAT(request, Not(HasSubstr(std::string(kKey))));
}

TEST(WebhookTest, AnotherStatusIsAFailure) {
  for (const char* const answer : {"HTTP/1.1 500 No\r\n\r\n", "HTTP/1.1 302 Go\r\n\r\n", "hello\r\n"}) {
    OneRequest server(answer);
    EXPECT_EQ(CodeOf(Target("webhook:" + server.url())->Send("{}", kLong)), "i/o error") << answer;
  }
}

TEST(WebhookTest, AServerThatDoesNotAnswerIsGivenUp) {
  OneRequest server("");
  const auto target = Target("webhook:" + server.url());
  std::thread aborts([&] {
    server.Request();
    target->Abort();
  });
  EXPECT_EQ(CodeOf(target->Send("{}", kLong)), "i/o error");
  aborts.join();
}

TEST(WebhookTest, ACertificateMustBeTrusted) {
  if (std::system("command -v openssl > /dev/null") != 0) GTEST_SKIP() << "there is no openssl";
  const TempDir folder;
  const std::string at = folder.path().string();
  ASSERT_EQ(
      std::system(fmt::format("cd {} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k "
                              "-out c -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> /dev/null",
                              at)
                      .c_str()),
      0);
  const auto port = Must(Listen({.path = {}, .host = "127.0.0.1"})).address.port;
  const std::string serve = fmt::format(
      "cd {} && (openssl s_server -accept 127.0.0.1:{} -key k -cert c -rev -quiet < /dev/null > /dev/null 2>&1 & "
      "echo $! > pid)",
      at, port);
  ASSERT_EQ(std::system(serve.c_str()), 0);
  // It answers with the reversed request, which is no HTTP: so far only a trusted connection gets.
  while (!Connect({.path = {}, .host = "127.0.0.1", .port = port}, kLong)) std::this_thread::yield();
  const auto post = [&](const std::string& host) {
    WebClient client;
    return CodeOf(client.Post(Must(ParseWebAddress(fmt::format("https://{}:{}/", host, port))), {}, "x", kLong));
  };
  EXPECT_EQ(post("localhost"), "invalid argument") << "not trusted";
  ::setenv("SSL_CERT_FILE", (at + "/c").c_str(), 1);
  EXPECT_EQ(post("localhost"), "i/o error") << "trusted, but no HTTP";
  EXPECT_EQ(post("127.0.0.1"), "invalid argument") << "it is of another name";
  ::unsetenv("SSL_CERT_FILE");
  (void)std::system(fmt::format("kill $(cat {}/pid)", at).c_str());
}

TEST(ExecTest, ACommandGetsTheMessageAndNoSecrets) {
  const TempDir folder;
  const std::string file = (folder / "out").string();
  ::setenv("TURNLOG_NOTIFY_KEY", "hidden", 1);
  Must(Target(fmt::format("exec:cat > {0}; echo \"key=$TURNLOG_NOTIFY_KEY.\" >> {0}", file))->Send("{\"a\":1}", kLong));
  ::unsetenv("TURNLOG_NOTIFY_KEY");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), "{\"a\":1}key=.\n");
}

TEST(ExecTest, FailuresAreSeenAndWhatHangsIsEnded) {
  EXPECT_EQ(CodeOf(Target("exec:exit 3")->Send("{}", kLong)), "i/o error");
  EXPECT_EQ(CodeOf(Target("exec:kill -9 $$")->Send("{}", kLong)), "i/o error");
  Must(Target("exec:true")->Send("{}", kLong));
  EXPECT_EQ(CodeOf(Target("exec:sleep 600 | sleep 600")->Send("{}", milliseconds(1))), "i/o error");
}

TEST(NotificationTargetTest, WrongOnesAreRefused) {
  const SecretString key(kKey);
  for (const char* const text :
       {"", "exec:", "mail:a@b", "webhook:", "webhook:example.org", "webhook:ftp://a", "webhook:http://example.org/",
        "webhook:http://127.example.org/", "webhook:http://10.0.0.1/", "webhook:https://", "webhook:https://a:b/",
        "webhook:https://user@a/", "webhook:https://a /", "webhook:https://a\r\nX: y/"}) {
    EXPECT_EQ(CodeOf(ParseNotificationTarget(text, key)), "invalid argument") << text;
  }
  EXPECT_EQ(CodeOf(ParseNotificationTarget("webhook:https://a/", SecretString("short"))), "invalid argument");
  for (const char* const host : {"127.0.0.1:80", "[::1]", "localhost:8080"}) {
    EXPECT_TRUE(ParseNotificationTarget(fmt::format("webhook:http://{}/", host), key)) << host;
  }
  EXPECT_TRUE(ParseNotificationTarget("webhook:https://a/", key));
  EXPECT_TRUE(ParseNotificationTarget("exec:true", {}));
}

TEST(WebAddressTest, IsTakenApart) {
  const auto parts = [](const char* url) {
    const WebAddress address = Must(ParseWebAddress(url));
    return std::vector<std::string>{address.encrypted ? "tls" : "", address.host, address.port, address.target};
  };
  EXPECT_THAT(parts("https://a"), ElementsAre("tls", "a", "443", "/"));
  EXPECT_THAT(parts("http://a:80/b?c#d"), ElementsAre("", "a", "80", "/b?c"));
  EXPECT_THAT(parts("https://[::1]:8443/x"), ElementsAre("tls", "::1", "8443", "/x"));
  EXPECT_THAT(parts("https://a?b"), ElementsAre("tls", "a", "443", "/?b"));
}

// --- In a service ---

TEST_F(ServiceTest, TellsItsTargetsAndCountsIt) {
  Stop();
  OneRequest server("HTTP/1.1 200 OK\r\n\r\n");
  options_.notify = {"webhook:" + server.url()};
  options_.notify_key = kKey;
  Start();
  EXPECT_EQ(Post("/v1/conversations/a/events",
                 R"({"type":"turn_start"}
{"type":"inquiry_request","id":"i","source":{"source":"tool","name":"t"},"question":{"text":"?","answer_type":{"type":"text"}}})")
                .status,
            200);
  EXPECT_THAT(server.Request(), HasSubstr(R"("new":1,"waiting":1)"));
  const std::string counted = R"(turnlog_notifications_total{target="webhook",outcome="sent"} 1)";
  while (!Get("/metrics").body.contains(counted)) std::this_thread::yield();
}

}  // namespace
}  // namespace turnlog::notifier_test
