// Server-sent events: what is appended comes once, in order, also across a restart.
#include "service/event_stream.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "log/forwarding_log.h"
#include "service/event_feed.h"
#include "service/observed_log.h"
#include "service/service_state.h"
#include "service/unfinished_states.h"
#include "tests/service/service_fixture.h"

namespace turnlog::event_stream_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A client of /v1/events, which connects again with the id of the last event it has seen.
class Listener {
 public:
  Listener(const SocketAddress& address, std::string target) : address_(address), target_(std::move(target)) {}

  void Connect() {
    connection_ = Must(HttpConnection::Open(address_, std::chrono::seconds(30)));
    std::vector<HttpHeader> headers;
    if (!last_id_.empty()) headers.push_back({"Last-Event-ID", last_id_});
    ASSERT_EQ(Must(connection_->Send({"GET", target_, headers, {}}, std::chrono::seconds(60))).status, 200);
    buffer_.clear();
  }

  // The type of the next one, and its data.
  std::string Next() {
    for (;;) {
      const std::size_t end = buffer_.find("\n\n");
      if (end == std::string::npos) {
        std::array<char, 4096> piece{};
        const auto got = connection_->Read(piece);
        if (!got || *got == 0) return "closed";
        buffer_.append(piece.data(), *got);
        continue;
      }
      const std::string block = buffer_.substr(0, end + 1);
      buffer_.erase(0, end + 2);
      if (block.starts_with(":")) continue;
      if (const std::string id = Field(block, "id: "); !id.empty()) last_id_ = id;
      return Field(block, "event: ") + " " + Field(block, "data: ");
    }
  }
  // What a stream of all conversations begins with: each state of the snapshot.
  std::vector<std::string> NextSnapshot() {
    std::vector<std::string> states;
    for (std::string next = Next(); !next.starts_with("snapshot") && next != "closed"; next = Next()) {
      states.push_back(std::move(next));
    }
    return states;
  }
  std::string NextEvent() {
    std::string next = Next();
    while (next.starts_with("state") || next.starts_with("snapshot")) next = Next();
    return next;
  }
  void Forget(std::string id) { last_id_ = std::move(id); }

 private:
  static std::string Field(const std::string& block, std::string_view name) {
    const std::size_t begin = block.starts_with(name) ? 0 : block.find("\n" + std::string(name));
    if (begin == std::string::npos) return "";
    const std::size_t value = begin + name.size() + (begin == 0 ? 0 : 1);
    return block.substr(value, block.find('\n', value) - value);
  }

  const SocketAddress address_;
  const std::string target_;
  std::unique_ptr<HttpConnection> connection_;
  std::string buffer_, last_id_;
};

class EventStreamTest : public ServiceTest {
 protected:
  void AppendNumbered(int number) { Must(service_->log().Append(Id("a"), Say(std::to_string(number)))); }
};

TEST_F(EventStreamTest, PushesWhatIsAppendedAndTheStateAfterIt) {
  Listener listener(Address(), "/v1/events");
  Must(service_->log().Append(Id("a"), Say("before")));
  listener.Connect();
  listener.NextSnapshot();
  const auto remote = OpenRemote();
  Must(remote->Append(Id("b"), std::vector<Event>{NewTurn(), Say("1")}));
  EXPECT_EQ(listener.Next(), R"(event {"conversation":"b","seq":1,"type":"turn_start"})");
  EXPECT_EQ(listener.Next(), R"(event {"conversation":"b","seq":2,"type":"chat_request","content":"1"})");
  EXPECT_THAT(listener.Next(), HasSubstr(R"(state {"conversation":"b","turn":1,"last":2,"activity":"calling_model")"));
}

TEST_F(EventStreamTest, MayBeOfOneConversation) {
  Listener listener(Address(), "/v1/events?conversation=b&from=begin");
  AppendNumbered(1);
  listener.Connect();
  AppendNumbered(2);
  Must(service_->log().Append(Id("b"), Say("x")));
  EXPECT_THAT(listener.NextEvent(), HasSubstr(R"("conversation":"b","seq":1)"));
}

TEST_F(EventStreamTest, OfOneConversationBeginsWithItsState) {
  AppendNumbered(1);
  Listener listener(Address(), "/v1/events?conversation=a"), none(Address(), "/v1/events?conversation=b");
  listener.Connect(), none.Connect();
  EXPECT_THAT(listener.Next(), HasSubstr(R"(state {"conversation":"a")"));
  Must(service_->log().Append(Id("b"), Say("x")));
  EXPECT_THAT(none.Next(), HasSubstr(R"(event {"conversation":"b","seq":1)"));
}

TEST_F(EventStreamTest, OfAllConversationsBeginsWithTheStatesOfThoseThatAreNotFinished) {
  Must(service_->log().Append(Id("running"), std::vector<Event>{NewTurn(), Say("1")}));
  Must(service_->log().Append(Id("finished"), std::vector<Event>{NewTurn()}));
  Listener listener(Address(), "/v1/events");
  listener.Connect();
  EXPECT_THAT(listener.NextSnapshot(), ElementsAre(HasSubstr(R"(state {"conversation":"running")")));
  Must(service_->log().Append(Id("finished"), Say("go on")));
  EXPECT_THAT(listener.NextEvent(), HasSubstr(R"("conversation":"finished","seq":2)"));
  listener.Connect();
  EXPECT_THAT(listener.NextSnapshot(), ElementsAre(HasSubstr("finished"), HasSubstr("running")))
      << "who connects again may have missed a state, which has no position";
}

TEST_F(EventStreamTest, ASnapshotHasAllThatWaitAndTheNewestOfTheOthers) {
  const auto ask = [&](const std::string& name) {
    Must(service_->log().Append(Id(name), std::vector<Event>{NewTurn(), Ask({.text = "q", .key = {}})}));
  };
  for (int i = 0; i < 400; ++i) ask(fmt::format("waiting {}", i));
  for (int i = 0; i < 400; ++i) {
    Must(service_->log().Append(Id(fmt::format("running {}", i)), std::vector<Event>{NewTurn(), Say("1")}));
  }
  Listener listener(Address(), "/v1/events");
  listener.Connect();
  int waiting = 0, running = 0;
  for (const std::string& state : listener.NextSnapshot()) {
    ++(state.find("awaiting_user") != std::string::npos ? waiting : running);
  }
  EXPECT_EQ(waiting, 400);
  EXPECT_LE(running, 300);
}

TEST_F(EventStreamTest, AStreamWithoutEventsSendsAHeartbeatAfterItsIntervalAndNotBefore) {
  ObservedLog log(service_->log(), [](const LogChange&) {});
  ServiceState state(log, "instance", {}, {});
  std::chrono::steady_clock::time_point now;
  state.steady_now = [&] { return now; };
  state.rules.emplace("", Must(PublicAddress::Parse(Address(), {}, {})), state.sessions, state.tokens);
  HttpRequest request;
  request.local = true;
  EventStream stream(state, StreamAccess(*state.rules, request), Follower(log, Must(log.End()), {}), false);
  const auto read = [&] {
    std::string sent, piece;
    while (Must(stream.Read(piece)) == BodySource::State::kMore) sent += std::exchange(piece, {});
    return sent + piece;
  };
  EXPECT_THAT(read(), testing::StartsWith("event: snapshot"));
  now += stream.idle_limit() - std::chrono::milliseconds(1);
  EXPECT_EQ(read(), "");
  now += std::chrono::milliseconds(1);
  EXPECT_EQ(read(), ":\n\n");
  EXPECT_EQ(read(), "") << "the next one has its own interval";
  now += stream.idle_limit() / 2;
  Must(log.Append(Id("a"), Say("x")));
  Must(state.feed.Advance());
  EXPECT_THAT(read(), HasSubstr("event: event"));
  now += stream.idle_limit() / 2;
  EXPECT_EQ(read(), "") << "an event is as good as a heartbeat";
}

TEST_F(EventStreamTest, TheStatesAfterALongCatchUpComeInPieces) {
  constexpr int kConversations = 20;
  constexpr std::size_t kLarge = std::size_t{100} << 10, kPiece = std::size_t{256} << 10;
  Event question = Ask(Opaque("q"));
  std::get<InquiryRequest>(question.body).question.text = std::string(kLarge, 'x');  // is a part of the state
  const std::vector<Event> events{NewTurn(), question};
  for (int i = 0; i < kConversations; ++i) Must(service_->log().Append(Id(fmt::format("c{}", i)), events));
  ObservedLog log(service_->log(), [](const LogChange&) {});
  ServiceState state(log, "instance", {}, {});
  state.rules.emplace("", Must(PublicAddress::Parse(Address(), {}, {})), state.sessions, state.tokens);
  HttpRequest request;
  request.local = true;
  EventStream stream(state, StreamAccess(*state.rules, request), Follower(log, {}, {}), false);
  std::string sent;
  for (bool more = true; more;) {
    std::string piece;
    more = Must(stream.Read(piece)) == BodySource::State::kMore;
    EXPECT_LT(piece.size(), kPiece + 2 * kLarge);
    sent += piece;
  }
  EXPECT_LT(sent.rfind("event: event"), sent.find("event: state"));
  for (int i = 0; i < kConversations; ++i) {
    const std::string begin = fmt::format("event: state\ndata: {{\"conversation\":\"c{}\"", i);
    const std::size_t first = sent.find(begin), snapshot = sent.find(begin, first + 1);
    EXPECT_NE(snapshot, std::string::npos);
    EXPECT_EQ(sent.find(begin, snapshot + 1), std::string::npos);
  }
}

TEST_F(EventStreamTest, OneLargeAppendComesWholeAndInOrderBeforeItsState) {
  constexpr int kEvents = 1000;
  Listener listener(Address(), "/v1/events");
  listener.Connect();
  std::vector<Event> events;
  for (int i = 1; i <= kEvents; ++i) events.push_back(Say(std::to_string(i)));
  Must(service_->log().Append(Id("a"), events));
  for (int i = 1; i <= kEvents; ++i) {
    ASSERT_THAT(listener.NextEvent(), HasSubstr(fmt::format("\"content\":\"{}\"", i)));
  }
  EXPECT_THAT(listener.Next(),
              HasSubstr(fmt::format("state {{\"conversation\":\"a\",\"turn\":0,\"last\":{}", kEvents)));
}

TEST_F(EventStreamTest, MissesAndRepeatsNothingAcrossRestarts) {
  Listener listener(Address(), "/v1/events?from=begin");
  int appended = 0, seen = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 5; ++i) AppendNumbered(++appended);
    listener.Connect();
    for (int i = 0; i < 4; ++i) {
      EXPECT_THAT(listener.NextEvent(), HasSubstr(fmt::format("\"seq\":{},", ++seen)));
    }
    Restart();
    EXPECT_THAT(Get("/healthz").status, 200);
  }
}

TEST_F(EventStreamTest, BeginsAtTheEndAgainIfThePositionIsOfAnotherStoreOrNone) {
  int seq = 0;
  for (const char* const position : {"1028-61511b3a0747674f", "of something else", "-1"}) {
    AppendNumbered(++seq);
    Listener listener(Address(), "/v1/events");
    listener.Forget(position);
    listener.Connect();
    EXPECT_EQ(listener.Next(), "reset {}") << position;
    AppendNumbered(++seq);
    EXPECT_THAT(listener.NextEvent(), HasSubstr(fmt::format(R"("seq":{},)", seq)));
  }
}

TEST_F(EventStreamTest, EndsWhenTheServiceStops) {
  Listener listener(Address(), "/v1/events");
  listener.Connect();
  listener.NextSnapshot();
  Stop();
  EXPECT_EQ(listener.Next(), "closed");
}

TEST_F(EventStreamTest, StreamsThatBeginWhileEventsAreAppendedMissAndRepeatNothing) {
  constexpr int kEvents = 400;
  std::thread writer([this] {
    for (int i = 1; i <= kEvents; ++i) Must(service_->log().Append(Id(i % 2 == 0 ? "b" : "a"), Say(std::to_string(i))));
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 16; ++i) {
    readers.emplace_back([this, i] {
      Listener listener(Address(), i % 2 == 0 ? "/v1/events?from=begin" : "/v1/events?from=begin&conversation=a");
      for (int number = 1; number <= kEvents; number += i % 2 == 0 ? 1 : 2) {
        if (number % 97 < 2) listener.Connect();
        ASSERT_THAT(listener.NextEvent(), HasSubstr(fmt::format("\"content\":\"{}\"", number)));
      }
    });
  }
  writer.join();
  for (std::thread& reader : readers) reader.join();
}

TEST_F(EventStreamTest, AStreamThatIsReadSlowlyMissesAndRepeatsNothing) {
  constexpr int kEvents = 40;
  Listener slow(Address(), "/v1/events"), filtered(Address(), "/v1/events?conversation=b");
  slow.Connect(), filtered.Connect();
  AppendNumbered(0);
  EXPECT_THAT(slow.NextEvent(), HasSubstr("\"seq\":1,"));
  const std::string filling(std::size_t{400} << 10, 'x');  // together more than the feed and the socket keep
  for (int i = 1; i <= kEvents; ++i) {
    Must(service_->log().Append(Id(i % 10 == 0 ? "b" : "a"), Say(filling + std::to_string(i))));
  }
  for (int i = 1; i <= kEvents; ++i) {
    ASSERT_THAT(slow.NextEvent(), testing::EndsWith(fmt::format("x{}\"}}", i)));
    if (i % 10 != 0) continue;
    ASSERT_THAT(filtered.NextEvent(), testing::EndsWith(fmt::format("x{}\"}}", i)));
  }
}

TEST_F(EventStreamTest, HoldsHundredsOfStreams) {
  std::vector<Listener> listeners;
  for (int i = 0; i < 300; ++i) {
    listeners.emplace_back(Address(), "/v1/events");
    listeners.back().Connect();
  }
  AppendNumbered(1);
  for (Listener& listener : listeners) EXPECT_THAT(listener.NextEvent(), HasSubstr(R"("seq":1,)"));
}

TEST_F(EventStreamTest, ASlowClientDoesNotGetWhatWasErasedMeanwhile) {
  Listener slow(Address(), "/v1/events"), fast(Address(), "/v1/events");
  slow.Connect(), fast.Connect();
  Must(service_->log().Append(Id("a"), std::vector{NewTurn()}));
  EXPECT_THAT(slow.NextEvent(), HasSubstr("turn_start"));
  EXPECT_THAT(slow.Next(), HasSubstr("state"));
  for (int i = 0; i < 20; ++i) Must(service_->log().Append(Id("a"), std::vector{Say(std::string(100'000, 'x'))}));
  const auto leaked = Must(service_->log().Append(Id("a"), std::vector{Say("a leaked key")}));
  while (fast.Next().find("a leaked key") == std::string::npos) continue;  // the feed has it now
  Must(service_->log().Erase(Id("a"), std::vector{leaked.events.front().seq}, {}));
  Must(service_->log().Append(Id("a"), std::vector{Say("the end")}));
  for (std::string next; next.find("the end") == std::string::npos;) {
    next = slow.Next();
    ASSERT_NE(next, "closed");
    EXPECT_EQ(next.find("a leaked key"), std::string::npos);
  }
}

TEST_F(EventStreamTest, TheFeedForgetsWhatWasRewritten) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("a name")}));
  std::vector<bool> rewritten;
  ObservedLog log(service_->log(), [&](const LogChange& change) { rewritten.push_back(change.rewritten); });
  EventFeed feed(log);
  EventFeed::User user;
  const std::uint64_t number = Must(user.Join(feed));
  Must(log.Append(Id("a"), std::vector{Say("another")}));
  Must(feed.Advance());
  ASSERT_EQ(feed.After(number, 1 << 20)->size(), 2U) << "the event and the state after it";
  Must(log.Erase(Id("a"), std::vector{Seq{2}}, {}));
  EXPECT_THAT(rewritten, ElementsAre(false, true));
  feed.Forget();
  EXPECT_FALSE(feed.After(number, 1 << 20));
  EXPECT_EQ(feed.After(feed.end(), 1 << 20)->size(), 0U);
}

class ListedLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) override {
    if (after.empty()) ++lists_;
    return ForwardingLog::List(after, limit);
  }
  int TakeLists() { return std::exchange(lists_, 0); }

 private:
  int lists_ = 0;
};

TEST_F(EventStreamTest, TheSnapshotFollowsWhatIsAppendedWithoutAList) {
  const auto append = [&](const std::string& id, const std::vector<Event>& events) {
    Must(service_->log().Append(Id(id), events));
  };
  append("a", {NewTurn(), Say("1")});
  ListedLog log(*log_);
  UnfinishedStates states(log);
  const auto take = [&] {
    std::string text;
    for (const auto& state : Must(states.Take())->states) text += state->view();
    return text;
  };
  EXPECT_THAT(take(), AllOf(HasSubstr(R"("conversation":"a")"), HasSubstr(R"("last":2)")));
  EXPECT_EQ(log.TakeLists(), 1);
  append("a", {Say("2")});
  append("b", {NewTurn(), Say("1")});
  EXPECT_THAT(take(), AllOf(HasSubstr(R"("conversation":"b")"), HasSubstr(R"("last":3)"), Not(HasSubstr("finished"))));
  Event message;
  message.body = ChatResponse{ChatPart::kMessage, "Done."};
  append("a", {message});
  EXPECT_THAT(take(), AllOf(HasSubstr(R"("conversation":"b")"), Not(HasSubstr(R"("conversation":"a")"))));
  EXPECT_EQ(log.TakeLists(), 0);
  append("many", std::vector<Event>(2'500, Say("x")));
  EXPECT_THAT(take(), AllOf(HasSubstr(R"("conversation":"b")"), HasSubstr(R"("conversation":"many")")));
  EXPECT_EQ(log.TakeLists(), 1) << "more events than conversations";
}

TEST_F(EventStreamTest, TheSnapshotOfManyUnfinishedConversationsIsListedAgain) {
  ListedLog log(*log_);
  UnfinishedStates states(log);
  Must(states.Take());
  for (int i = 0; i < 1'700; ++i) {
    Must(service_->log().Append(Id(fmt::format("running {}", i)), Say("1"), {.durability = Durability::kBuffered}));
    if (i == 800) {
      EXPECT_EQ(Must(states.Take())->states.size(), 801U);
    }
  }
  EXPECT_LE(Must(states.Take())->states.size(), 300U);
  EXPECT_EQ(log.TakeLists(), 2);
}

TEST_F(EventStreamTest, TheSnapshotIsSharedUntilSomethingIsRewritten) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("a name")}));
  UnfinishedStates states(service_->log());
  std::weak_ptr<const StateSnapshot> taken = Must(states.Take());
  EXPECT_EQ(Must(states.Take()), taken.lock());
  ASSERT_FALSE(taken.expired());
  states.Forget();
  EXPECT_TRUE(taken.expired()) << "its texts are not wiped";
}

}  // namespace
}  // namespace turnlog::event_stream_test
