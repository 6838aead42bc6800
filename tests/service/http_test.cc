// The requests of people and scripts.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "store/engine/event_log.h"
#include "tests/service/service_fixture.h"
#include "tests/support/fault_file_system.h"
#include "turnlog/open_log.h"

namespace turnlog::http_test {
namespace {

using testing::HasSubstr;

class HttpTest : public ServiceTest {};

TEST_F(HttpTest, AppendsAndReadsLines) {
  const Reply appended =
      Post("/v1/conversations/a/events", "{\"type\":\"turn_start\"}\n\n{\"type\":\"chat_request\",\"content\":\"hi\"}");
  EXPECT_EQ(appended.status, 200);
  EXPECT_EQ(appended.body, R"({"conversation":"a","events":[{"seq":1,"repeated":false,"redacted":false},)"
                           R"({"seq":2,"repeated":false,"redacted":false}]})");
  EXPECT_EQ(Get("/v1/conversations/a/events?from=2").body,
            "{\"conversation\":\"a\",\"seq\":2,\"type\":\"chat_request\",\"content\":\"hi\"}\n");
  EXPECT_EQ(Get("/v1/conversations/a").body.substr(0, 26), R"({"id":"a","last":2,"turns")");
}

TEST_F(HttpTest, ErrorsOfTheLibraryAreProblems) {
  Must(log_->Append(Id("a"), Say("1")));
  const Reply conflict = Post("/v1/conversations/a/events?expect=5", R"({"type":"turn_start"})");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(FindHeader(conflict.headers, "content-type"), "application/problem+json");
  EXPECT_THAT(conflict.body, HasSubstr(R"("code":"conflict","last_seq":1})"));
  EXPECT_EQ(Get("/v1/conversations/b").status, 404);
  EXPECT_EQ(Post("/v1/conversations/a/events", "{").status, 400);
  EXPECT_EQ(Post("/v1/conversations/a/events", "").status, 400);
  EXPECT_EQ(Get("/v1/conversations/a/events?frm=1").status, 400);
  EXPECT_EQ(Get("/v1/conversations/a/events?from=1&turn=1").status, 400);
  EXPECT_EQ(Get("/nothing").status, 404);
  EXPECT_EQ(Send("DELETE", "/v1/conversations/a").status, 405);
}

TEST_F(HttpTest, IdsMayHoldAnything) {
  EXPECT_EQ(Post("/v1/conversations/a%2F%3F%20b/events", R"({"type":"turn_start"})").status, 200);
  EXPECT_EQ(Must(log_->Info(Id("a/? b"))).last, Seq{1});
}

TEST_F(HttpTest, TheSocketIsForItsUserAlone) {
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(Address().path).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(HttpTest, SaysWhenTheStoreCannotBeUsedAnyMore) {
  Stop();
  FaultFileSystem files(PosixFileSystem());
  const auto log = Must(EventLog::Open(folder_ / "store", {.mode = OpenMode::kWrite}, {.files = &files}));
  service_ = Must(Service::Start(*log, options_));
  EXPECT_EQ(Get("/healthz").status, 200);
  files.FailMutation(1, FaultMode::kIoError, FaultExtent::kFromThenOn);
  EXPECT_GE(Post("/v1/conversations/a/events", R"({"type":"turn_start"})").status, 500);
  EXPECT_EQ(Get("/healthz").status, 503);
  service_.reset();
}

TEST_F(HttpTest, HeadGivesNoBody) {
  EXPECT_THAT(SendRaw("HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpTest, LargeEventsComeBackWhole) {
  const std::string large(5 << 20, 'x');
  EXPECT_EQ(Post("/v1/conversations/a/events", R"({"type":"chat_request","content":")" + large + "\"}").status, 200);
  EXPECT_THAT(Get("/v1/conversations/a/events").body, HasSubstr(large));
}

TEST_F(HttpTest, CountsRequestsInMetrics) {
  Get("/v1/conversations/none");
  const std::string text = Get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("turnlog_requests_total{operation=\"getConversation\",status=\"404\"} 1\n"));
  EXPECT_EQ(Get("/healthz").body, R"({"status":"ok"})");
}

// The value of a line of the metrics; none: it is not there.
std::optional<double> MetricIn(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? std::nullopt : std::optional(std::stod(text.substr(at + name.size() + 2)));
}

TEST_F(HttpTest, MetricsHaveSyncsTheirBatchesAndTheLagOfStreams) {
  const std::string before = Get("/metrics").body;
  const auto stream = Must(HttpConnection::Open(Address(), std::chrono::seconds(30)));
  ASSERT_EQ(Must(stream->Send({"GET", "/v1/events", {}, {}}, std::chrono::seconds(60))).status, 200);
  for (const char* const target : {"buffered", "buffered", "sync"}) {
    EXPECT_EQ(Post(fmt::format("/v1/conversations/a/events?durability={}", target), R"({"type":"turn_start"})").status,
              200);
  }
  const auto more = [&](const std::string& text, const std::string& name) {
    return MetricIn(text, name).value_or(0) - MetricIn(before, name).value_or(0);
  };
  const std::string after = Get("/metrics").body;
  EXPECT_GE(more(after, "turnlog_sync_seconds_count"), 1);
  EXPECT_EQ(more(after, "turnlog_sync_appends_sum"), 3);
  EXPECT_GE(more(after, "turnlog_synced_bytes_total"), 3 * 32);
  EXPECT_GT(MetricIn(after, "turnlog_sync_seconds_sum").value_or(0), 0);
  while (more(Get("/metrics").body, "turnlog_stream_lag_seconds_count") == 0) std::this_thread::yield();
}

TEST_F(HttpTest, AnAppendIsInTheLogOnceHoweverOftenItIsSent) {
  for (int i = 0; i < 3; ++i) {
    const Reply reply =
        Send("POST", "/v1/conversations/a/events", R"({"type":"turn_start"})", {{"Idempotency-Key", "lane/1"}});
    EXPECT_THAT(reply.body, HasSubstr(R"("seq":1,)"));
  }
  EXPECT_EQ(Must(log_->Info(Id("a"))).last, Seq{1});
}

TEST_F(HttpTest, AnAppendThatWasSentToAnEarlierServiceIsDoneIfItCanBeKnownWhetherItWas) {
  const std::vector<HttpHeader> again{{"Idempotency-Key", "lane/1"}, {"Turnlog-Retry-Of", "earlier"}};
  const auto send = [&](const std::string& query, const std::string& event) {
    return Send("POST", "/v1/conversations/a/events" + query, event, again);
  };
  const std::string named = R"({"type":"chat_request","content":"1","event_id":"e1"})";
  EXPECT_EQ(send("", R"({"type":"turn_start"})").status, 500);
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
  Must(log_->Append(Id("a"), Named("e1", Say("1"))));
  const std::vector<HttpHeader> next{{"Idempotency-Key", "lane/2"}, {"Turnlog-Retry-Of", "earlier"}};
  EXPECT_THAT(Send("POST", "/v1/conversations/a/events", named, next).body, HasSubstr(R"("seq":1,"repeated":true)"));
}

TEST_F(HttpTest, AnAppendAfterAKnownSeqIsRecognisedByItsBytes) {
  Must(log_->Append(Id("a"), Say("1")));
  const auto send = [&](const char* key, const std::string& content) {
    return Send("POST", "/v1/conversations/a/events?expect=0",
                R"({"type":"chat_request","content":")" + content + "\"}",
                {{"Idempotency-Key", key}, {"Turnlog-Retry-Of", "earlier"}});
  };
  EXPECT_THAT(send("lane/1", "1").body, HasSubstr(R"("seq":1,"repeated":false)"));
  EXPECT_EQ(send("lane/2", "other").status, 409);
  EXPECT_EQ(Must(log_->Info(Id("a"))).last, Seq{1});
}

TEST_F(HttpTest, TheRemoteLogOutlivesARestartOfTheService) {
  const auto remote = OpenRemote();
  Must(remote->Append(Id("a"), Say("1")));
  Restart();
  EXPECT_EQ(Must(remote->Append(Id("a"), Say("2"))).events.front().seq, Seq{2});
  EXPECT_THAT(Lines(*remote, "a"), testing::ElementsAre("1 0 1", "2 0 2"));
}

TEST_F(HttpTest, AFolderIsWrittenThroughItsService) {
  const auto writer = Must(OpenLog(folder_ / "store", {.mode = OpenMode::kWrite, .holder = "other"}));
  EXPECT_TRUE(writer->capabilities().many_writers);
  EXPECT_EQ(Must(writer->Append(Id("a"), Say("1"))).events.front().seq, Seq{1});
  const auto reader = Must(OpenLog(folder_ / "store", {.mode = OpenMode::kRead, .holder = {}}));
  EXPECT_FALSE(reader->capabilities().many_writers);
  EXPECT_THAT(Lines(*reader, "a"), testing::ElementsAre("1 0 1"));
  const auto second = OpenSegmentLog(folder_ / "store", {.mode = OpenMode::kWrite, .holder = "other"});
  EXPECT_EQ(CodeOf(second), "busy");
  EXPECT_THAT(MessageOf(second), HasSubstr("(test)"));
}

// A socket holds no bytes, so that a redaction can be proven while a service runs.
TEST_F(HttpTest, TheSocketIsNoUnreadableFileOfTheStore) {
  struct : StorageVisitor {
    void OnPiece(const StoragePiece& piece) override { ++objects[std::string(piece.object)]; }
    void OnEntry(std::string_view, std::string_view, std::string_view) override {}
    void OnUnreadable(std::string_view object, std::string_view) override { ADD_FAILURE() << object; }
    std::map<std::string, int> objects;
  } visitor;
  Must(OpenRemote()->VisitStorage({.overlap = 16, .progress = {}}, visitor));
  EXPECT_TRUE(visitor.objects.contains("STORE"));
}

TEST_F(HttpTest, SaysNothingOfContentsInItsAccessLog) {
  Stop();
  std::mutex mutex;
  options_.access_log = [&](std::string_view line) {
    const std::scoped_lock lock(mutex);
    access_lines_.emplace_back(line);
  };
  Start();
  Post("/v1/conversations/conversation-name/events", R"({"type":"chat_request","content":"what is said"})");
  Stop();
  ASSERT_EQ(access_lines_.size(), 1U);
  EXPECT_THAT(access_lines_.front(), HasSubstr(R"("operation":"appendEvents","status":200)"));
  EXPECT_THAT(access_lines_.front(), testing::Not(HasSubstr("conversation-name")));
  EXPECT_THAT(access_lines_.front(), testing::Not(HasSubstr("what is said")));
}

TEST_F(HttpTest, SaysHowARequestThatIsRefusedHasCome) {
  Stop();
  std::mutex mutex;
  options_.access_log = [&](std::string_view line) {
    const std::scoped_lock lock(mutex);
    access_lines_.emplace_back(line);
  };
  options_.listen = "127.0.0.1:0";
  options_.token = "0123456789abcdef";
  Start();
  SendRaw("no request\r\n\r\n");
  SendRaw("POST /v1/checkpoint HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n");
  SendRaw("no request\r\n\r\n", Must(ParseTcpAddress(service_->locations().back().substr(7))));
  Stop();
  ASSERT_EQ(access_lines_.size(), 3U);
  EXPECT_THAT(access_lines_[0], testing::AllOf(HasSubstr(R"("status":400)"), HasSubstr(R"("through":"unix")")));
  EXPECT_THAT(access_lines_[1], testing::AllOf(HasSubstr(R"("status":413)"), HasSubstr(R"("through":"unix")")));
  EXPECT_THAT(access_lines_[2], testing::AllOf(HasSubstr(R"("status":400)"), HasSubstr(R"("through":"tcp")")));
}

TEST_F(HttpTest, ListensOnlyOnThisMachineAndWithAToken) {
  for (const auto& [listen, token] : std::vector<std::pair<std::string, std::string>>{
           {"0.0.0.0:0", "0123456789abcdef"}, {"127.0.0.1:0", "short"}, {"127.0.0.1", "0123456789abcdef"}}) {
    const auto refused = Service::Start(*log_, {.listen = listen, .token = token});
    EXPECT_EQ(CodeOf(refused), "invalid argument") << listen;
  }
  const auto service = Must(Service::Start(*log_, {.listen = "127.0.0.1:0", .token = "0123456789abcdef"}));
  const std::string location = service->locations().front();
  EXPECT_EQ(CodeOf(OpenRemoteLog(location, {.token = "0123456789abcdeg"})), "invalid argument");
  const auto remote = Must(OpenRemoteLog(location, {.token = "0123456789abcdef"}));
  EXPECT_EQ(Must(remote->Append(Id("a"), Say("1"))).events.front().seq, Seq{1});
}

}  // namespace
}  // namespace turnlog::http_test
