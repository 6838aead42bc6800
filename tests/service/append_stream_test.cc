// Synced appends as messages of a connection (remote/append_message.h).
#include <fmt/format.h>

#include <mutex>

#include "http/message_loop.h"
#include "remote/append_batch.h"
#include "remote/append_message.h"
#include "remote/service_client.h"
#include "tests/service/service_fixture.h"

namespace turnlog::append_stream_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kPatience{60};
const std::vector<HttpHeader> kUpgrade{{"Connection", "Upgrade"}, {"Upgrade", std::string(kAppendStream)}};

std::string Encoded(const char* conversation, const Event& event, std::optional<Seq> expected = {}) {
  const EventView view = View(event);
  const SecretString bytes = Must(EncodeAppend(Id(conversation), std::span(&view, 1), expected));
  return std::string(bytes.view());
}

class Stream {
 public:
  Stream(const SocketAddress& address, const std::string& lane)
      : connection_(Must(HttpConnection::Open(address, kPatience))) {
    const HttpCall call{.method = "GET", .target = "/v1/append-stream?lane=" + lane, .headers = kUpgrade, .body = {}};
    const auto head = Must(connection_->Send(call, kPatience));
    EXPECT_EQ(head.status, 101);
    EXPECT_EQ(FindHeader(head.headers, "Upgrade"), kAppendStream);
    EXPECT_NE(FindHeader(head.headers, kInstanceHeader), "");
  }

  Result<std::string> AskRaw(std::string_view message) {
    const auto answer = connection_->Ask(std::span(&message, 1), kPatience);
    return answer ? ReadAnswer(*answer) : answer;
  }
  Result<std::string> Ask(std::uint64_t number, const std::string& appends, bool orphan = false) {
    const auto head = EncodeHead(number, orphan);
    return AskRaw(std::string(head.data(), head.size()) + appends);
  }
  // The seqs, "again" for those that were there, and errors.
  std::vector<std::string> Append(std::uint64_t number, const std::string& appends, bool orphan = false) {
    std::vector<std::string> texts;
    const auto answer = Ask(number, appends, orphan);
    if (!answer) return {CodeOf(answer)};
    for (const auto& outcome : Must(ReadOutcomes(*answer))) {
      if (!outcome) {
        texts.push_back(CodeOf(outcome));
        continue;
      }
      for (const AppendedEvent& event : outcome->events) {
        texts.push_back(fmt::format("{}{}", event.seq.value, event.repeated ? " again" : ""));
      }
    }
    return texts;
  }

 private:
  std::unique_ptr<HttpConnection> connection_;
};

class AppendStreamTest : public ServiceTest {
 protected:
  Stream Open(const std::string& lane = "lane") { return Stream(Address(), lane); }
  void LogRequests() {
    options_.access_log = [this](std::string_view line) {
      const std::scoped_lock lock(mutex_);
      access_lines_.emplace_back(line);
    };
    Restart();
  }
  std::vector<std::string> Requests() {
    const std::scoped_lock lock(mutex_);
    return access_lines_;
  }

 private:
  std::mutex mutex_;
};

TEST_F(AppendStreamTest, EachAppendOfAMessageHasItsOwnOutcome) {
  Stream stream = Open();
  EXPECT_THAT(stream.Append(1, Encoded("a", Say("1")) + Encoded("b", Say("2"), Seq{9}) + Encoded("a", Say("3"))),
              ElementsAre("1", "conflict", "2"));
  EXPECT_THAT(stream.Append(2, Encoded("b", Say("4"))), ElementsAre("1"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 3"));
}

TEST_F(AppendStreamTest, WhatIsAnsweredIsSynced) {
  Stream stream = Open();
  for (std::uint64_t number = 1; number <= 3; ++number) {
    stream.Append(number, Encoded("a", Say("1")));
    EXPECT_THAT(Get("/metrics").body, HasSubstr(fmt::format("\nturnlog_sync_appends_sum {}\n", number)));
  }
}

TEST_F(AppendStreamTest, AMessageThatIsSentAgainIsDoneOnce) {
  {
    Stream stream = Open();
    EXPECT_THAT(stream.Append(1, Encoded("a", Say("1"))), ElementsAre("1"));
    EXPECT_THAT(stream.Append(1, Encoded("a", Say("1"))), ElementsAre("1"));
  }
  EXPECT_THAT(Open().Append(1, Encoded("a", Say("1"))), ElementsAre("1"));
  EXPECT_THAT(Open("other").Append(1, Encoded("a", Say("2"))), ElementsAre("2"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
  EXPECT_THAT(Open().Append(2, Encoded("a", Say("3"))), ElementsAre("3"));
  EXPECT_THAT(Open().Append(1, Encoded("a", Say("1"))), ElementsAre("invalid argument"));
}

// It shares its numbers with requests.
TEST_F(AppendStreamTest, AWriteThatWasDoneByARequestIsNotDoneAgain) {
  const std::string append = Encoded("a", Say("1"));
  EXPECT_EQ(Send("POST", "/v1/appends", append, {{std::string(kWriteHeader), "lane/1"}}).status, 200);
  EXPECT_THAT(Open().Append(1, append), ElementsAre("1"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

// To a service that was restarted: each is found in the log by what it has, or refused.
TEST_F(AppendStreamTest, WhatAnotherInstanceMayHaveDoneIsLookedUp) {
  Event named = Say("1");
  named.event_id = "e";
  Must(service_->log().Append(Id("a"), named));
  Must(service_->log().Append(Id("b"), Say("2")));
  const std::string appends = Encoded("a", named) + Encoded("b", Say("2"), Seq{0}) + Encoded("c", Say("3"));
  EXPECT_THAT(Open().Append(1, appends, true), ElementsAre("1 again", "1", "i/o error"));
  EXPECT_EQ(CodeOf(log_->Info(Id("c"))), "not found");
}

// The answer was lost with the first connection, and this instance has done it.
TEST_F(AppendStreamTest, WhatThisInstanceHasDoneIsNotLookedUp) {
  const std::string append = Encoded("a", Say("1"));
  EXPECT_THAT(Open().Append(1, append), ElementsAre("1"));
  EXPECT_THAT(Open().Append(1, append, true), ElementsAre("1"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

TEST_F(AppendStreamTest, OtherMessagesAreRefusedAndTheStreamGoesOn) {
  Stream stream = Open();
  EXPECT_EQ(CodeOf(stream.AskRaw("")), "invalid argument");
  EXPECT_EQ(CodeOf(stream.AskRaw(std::string(16, '\xff'))), "invalid argument");
  EXPECT_EQ(CodeOf(stream.Ask(0, Encoded("a", Say("1")))), "invalid argument");
  EXPECT_EQ(CodeOf(stream.Ask(1, "x")), "invalid argument");
  EXPECT_EQ(CodeOf(stream.Ask(1, std::string(32, '\xff'))), "invalid argument");
  EXPECT_THAT(stream.Append(1, Encoded("a", Say("1"))), ElementsAre("1"));
  std::string cut = Encoded("b", Say("2"));
  cut[48] = static_cast<char>(cut[48] ^ 0x7f);  // within the encoded event
  EXPECT_THAT(stream.Append(2, cut), ElementsAre("invalid argument"));
}

TEST_F(AppendStreamTest, IsOpenedByUpgradeOnly) {
  const Reply reply = Get("/v1/append-stream?lane=a");
  EXPECT_EQ(reply.status, 426);
  EXPECT_EQ(FindHeader(reply.headers, "Upgrade"), kAppendStream);
  EXPECT_EQ(Send("GET", "/v1/append-stream?lane=a", "", {{"Upgrade", "websocket"}}).status, 426);
  for (const std::string& lane : {std::string(), std::string("a/b"), std::string(65, 'x')}) {
    EXPECT_EQ(Send("GET", "/v1/append-stream?lane=" + lane, "", kUpgrade).status, 400) << lane;
  }
}

TEST_F(AppendStreamTest, IsNotOpenedThroughTcp) {
  Stop();
  options_.listen = "127.0.0.1:0";
  options_.token = std::string(32, 't');
  Start();
  const SocketAddress tcp = Must(ParseTcpAddress(service_->locations().back().substr(std::string("http://").size())));
  const std::string request = "GET /v1/append-stream?lane=a HTTP/1.1\r\nHost: " + tcp.ToText() +
                              "\r\nAuthorization: Bearer " + options_.token +
                              "\r\nConnection: Upgrade\r\nUpgrade: turnlog-appends\r\n\r\n";
  EXPECT_THAT(SendRaw(request, tcp), HasSubstr("501 Not Implemented"));
  const auto remote = Must(OpenRemoteLog(service_->locations().back(), {.token = options_.token}));
  EXPECT_EQ(Must(remote->Append(Id("a"), Say("1"))).events.front().seq, Seq{1});
}

TEST_F(AppendStreamTest, AMessageCountsAsARequestWithoutItsContent) {
  LogRequests();
  EXPECT_THAT(Open().Append(1, Encoded("a", Say("private"))), ElementsAre("1"));
  EXPECT_THAT(Requests(),
              Contains(AllOf(HasSubstr(R"("operation":"appendMany","status":200)"), HasSubstr(R"("through":"unix")"))));
  EXPECT_THAT(Requests(), testing::Each(testing::Not(HasSubstr("private"))));
  EXPECT_THAT(Get("/metrics").body, HasSubstr(R"(operation="appendMany",status="200"} 1)"));
}

// What a client of the library sends; an append that is too large for a message is a request.
TEST_F(AppendStreamTest, LogsUseStreamsForSyncedAppends) {
  LogRequests();
  const auto remote = OpenRemote();
  Must(remote->Append(Id("a"), Say("1")));
  Must(remote->Append(Id("a"), Say("2"), {.durability = Durability::kBuffered}));
  Must(remote->Append(Id("a"), Say(std::string(kMaxStreamedAppends, 'x'))));
  EXPECT_EQ(Must(log_->Info(Id("a"))).last, Seq{3});
  std::size_t streams = 0, appends = 0;
  for (const std::string& line : Requests()) {
    streams += line.contains(R"("operation":"streamAppends","status":101)") ? 1 : 0;
    appends += line.contains(R"("operation":"appendMany","status":200)") ? 1 : 0;
  }
  EXPECT_EQ(streams, 1U);
  EXPECT_EQ(appends, 3U);
}

// It was not sent to the instance that is gone: nothing has to be looked up.
TEST_F(AppendStreamTest, ALogGoesOnAfterARestart) {
  const auto remote = OpenRemote();
  Must(remote->Append(Id("a"), Say("1")));
  Restart();
  Must(remote->Append(Id("a"), Say("2")));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_F(AppendStreamTest, TheEndOfTheServiceEndsStreamsAtOnce) {
  Stream stream = Open();
  EXPECT_THAT(stream.Append(1, Encoded("a", Say("1"))), ElementsAre("1"));
  Stop();
  EXPECT_EQ(CodeOf(stream.Ask(2, Encoded("a", Say("2")))), "i/o error");
}

}  // namespace
}  // namespace turnlog::append_stream_test
