// Bodies of appends, taken in as they come.
#include <gmock/gmock.h>

#include "remote/append_batch.h"
#include "remote/event_batch.h"
#include "service/encoded_body.h"
#include "service/event_lines.h"
#include "tests/service/service_fixture.h"
#include "turnlog/event_json.h"

namespace turnlog::body_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string Line(const std::string& text) { return ToJson(Say(text)) + "\n"; }

Result<std::vector<std::string>> TextsOf(std::string_view body, std::size_t piece) {
  AppendLines lines;
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
    if (const Status taken = lines.Take(body.substr(0, piece)); !taken) return std::unexpected(taken.error());
  }
  const auto events = lines.Events();
  if (!events) return std::unexpected(events.error());
  std::vector<std::string> texts;
  for (const EventView& event : *events) texts.push_back(ToJson(event));
  return texts;
}

TEST(AppendLinesTest, AreTheSameInPiecesOfAnyLength) {
  const std::string body = Line("one") + "\r\n  \n" + ToJson(NewTurn()) + "\r\n" + Line(std::string(3000, 'x')) +
                           ToJson(Say("without a line break"));
  const auto whole = Must(TextsOf(body, body.size()));
  ASSERT_EQ(whole.size(), 4U);
  EXPECT_EQ(whole[0], ToJson(Say("one")));
  EXPECT_EQ(whole[3], ToJson(Say("without a line break")));
  for (std::size_t piece = 1; piece < 100; ++piece) EXPECT_EQ(Must(TextsOf(body, piece)), whole) << piece;
}

TEST(AppendLinesTest, ErrorsNameTheirLine) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{10'000}}) {
    const auto texts = TextsOf(Line("one") + "\n{\"type\":\n" + Line("two"), piece);
    ASSERT_EQ(CodeOf(texts), "invalid argument");
    EXPECT_THAT(texts.error().message, HasSubstr("line 3"));
    const auto last = TextsOf(Line("one") + "{", piece);
    ASSERT_EQ(CodeOf(last), "invalid argument");
    EXPECT_THAT(last.error().message, HasSubstr("line 2"));
  }
}

// The first wrong line ends the body: nothing after it is needed.
TEST(AppendLinesTest, AnEventThatIsNotValidIsRefusedWhenItsLineHasCome) {
  AppendLines lines;
  EXPECT_EQ(CodeOf(lines.Take(R"({"type":"tool_call_response","id":"","content":"x","is_error":false})"
                              "\n")),
            "invalid argument");
}

TEST(AppendLinesTest, TheirCostGrowsWithWhatIsKept) {
  AppendLines lines;
  Must(lines.Take(std::string(1000, ' ') + "\n"));
  EXPECT_EQ(lines.cost(), 0U);
  Must(lines.Take(Line(std::string(5000, 'x'))));
  const std::uint64_t one = lines.cost();
  EXPECT_GT(one, 4U * 5000 + kCostOfEvent);
  EXPECT_LT(one, 4U * 5100 + kCostOfEvent);
  Must(lines.Take(Line(std::string(5000, 'x'))));
  EXPECT_EQ(lines.cost(), 2 * one);
  Must(lines.Take(std::string(700, 'x')));
  EXPECT_EQ(lines.cost(), 2 * one + std::uint64_t{4} * 700);
}

std::uint64_t EventsIn(EncodedBody::Form form, std::string_view bytes, std::size_t piece) {
  EncodedBody body(form, bytes.size());
  for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
    Must(body.Take(rest.substr(0, piece)));
  }
  EXPECT_EQ(body.cost(), 4 * bytes.size() + body.events() * kCostOfEvent);
  const std::uint64_t events = body.events();
  const SecretString released = body.Release();
  EXPECT_EQ(released.view(), bytes);
  return events;
}

TEST(EncodedBodyTest, CountsItsEventsInPiecesOfAnyLength) {
  const std::vector<Event> events{Say("one"), NewTurn(), Say(std::string(300, 'x'))};
  std::vector<NumberedEvent> batch;
  std::vector<EventView> views;
  for (const Event& event : events) batch.push_back({{}, View(event)}), views.push_back(View(event));
  const SecretString of_events = Must(EncodeBatch(batch));
  SecretString of_appends = Must(EncodeAppend(Id("a"), views, std::nullopt));
  const SecretString second = Must(EncodeAppend(Id("a longer id"), std::span(views).first(1), Seq{7}));
  of_appends.Append(second.view());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100}, std::size_t{100'000}}) {
    EXPECT_EQ(EventsIn(EncodedBody::Form::kEvents, of_events.view(), piece), 3U) << piece;
    EXPECT_EQ(EventsIn(EncodedBody::Form::kAppends, of_appends.view(), piece), 6U) << piece;
  }
}

TEST(EncodedBodyTest, LengthsBeyondEverythingAreNotCounted) {
  EncodedBody body(EncodedBody::Form::kEvents, std::nullopt);
  Must(body.Take(std::string(16, '\xff')));
  EXPECT_EQ(body.events(), 0U);
}

class BodyTest : public ServiceTest {
 protected:
  void RestartWith(std::uint64_t body_memory) {
    options_.body_memory = body_memory;
    Restart();
  }
};

TEST_F(BodyTest, LinesThatAreRefusedChangeNothing) {
  const Reply reply = Post("/v1/conversations/a/events", Line("one") + "{}\n" + Line("two"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("line 2"));
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_F(BodyTest, ABodyThatNeverFitsIsTooLarge) {
  RestartWith(std::uint64_t{1} << 20);
  EXPECT_EQ(Post("/v1/conversations/a/events", Line(std::string(400'000, 'x'))).status, 413);
  EXPECT_EQ(Post("/v1/conversations/a/events", Line(std::string(100'000, 'x'))).status, 200);
  EXPECT_THAT(Get("/metrics").body, HasSubstr("\nturnlog_body_memory_bytes 0\n"));
}

// One event may have 256 MiB, and an append several of them.
TEST_F(BodyTest, WithMoreMemoryABodyMayBeLarger) {
  const std::string head =
      "POST /v1/conversations/a/events HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 600000000\r\n\r\n";
  EXPECT_THAT(SendRaw(head), StartsWith("HTTP/1.1 413"));
  RestartWith(std::uint64_t{4} << 30);
  EXPECT_THAT(SendRaw(head), StartsWith("HTTP/1.1 100 Continue"));
}

// Each of these would take a thousand times its own bytes.
TEST_F(BodyTest, ManySmallEventsAreAsLargeAsWhatTheyTake) {
  RestartWith(std::uint64_t{1} << 20);
  std::string body;
  for (int i = 0; i < 2000; ++i) body += "{\"type\":\"turn_start\"}\n";
  EXPECT_EQ(Post("/v1/conversations/a/events", body).status, 413);
}

TEST_F(BodyTest, ALargeAppendOfTheClientArrivesWhole) {
  const auto remote = OpenRemote();
  std::vector<Event> events;
  for (int i = 0; i < 40; ++i) events.push_back(Say(std::string(100'000, static_cast<char>('a' + i % 26))));
  EXPECT_EQ(Must(remote->Append(Id("a"), events)).events.size(), 40U);
  EXPECT_EQ(Lines(*log_, "a"), Lines(*remote, "a"));
  EXPECT_EQ(Must(log_->Info(Id("a"))).last, Seq{40});
}

}  // namespace
}  // namespace turnlog::body_test
