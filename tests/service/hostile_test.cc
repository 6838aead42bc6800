// Whatever is sent, the service answers or closes the connection, and goes on.
#include <fmt/format.h>

#include <random>

#include "tests/service/service_fixture.h"

namespace turnlog::hostile_test {
namespace {

class HostileTest : public ServiceTest {
 protected:
  // Of the first response.
  std::string StatusOf(std::string_view bytes) {
    const std::string answer = SendRaw(bytes);
    return answer.empty() ? "closed" : answer.substr(0, 12);
  }
  void ExpectAlive() { EXPECT_EQ(Get("/healthz").status, 200); }
};

TEST_F(HostileTest, RefusesWhatIsNoHttp) {
  EXPECT_EQ(StatusOf("\r\n\r\n\x01\x02\x03 nonsense\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("GET healthz HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("GET http://x/healthz HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("GET /healthz HTTP/9.9\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("POST /v1/checkpoint HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("GET /"), "closed");
  ExpectAlive();
}

TEST_F(HostileTest, RefusesTwoLengthsOfOneBody) {
  EXPECT_EQ(
      StatusOf("POST /v1/checkpoint HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      "HTTP/1.1 400");
  EXPECT_EQ(StatusOf("POST /v1/checkpoint HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            "HTTP/1.1 400");
  ExpectAlive();
}

// Each of these is followed by what would be a second request, if the body were taken for empty.
TEST_F(HostileTest, RefusesBodiesWhoseLengthIsHidden) {
  for (const std::string_view encoding : {"identity", "xchunked", "chunked, gzip", "gzip, chunked"}) {
    const std::string answer = SendRaw(fmt::format(
        "POST /v1/checkpoint HTTP/1.1\r\nTransfer-Encoding: {}\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n", encoding));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400")) << encoding;
    EXPECT_THAT(answer, testing::Not(testing::HasSubstr("HTTP/1.1 200"))) << encoding;
  }
  EXPECT_EQ(StatusOf("POST /v1/checkpoint HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(
      StatusOf("POST /v1/checkpoint HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"),
      "HTTP/1.1 204");
  ExpectAlive();
}

TEST_F(HostileTest, RefusesFieldsOfSeveralLines) {
  for (const std::string_view fields : {"Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n\t",
                                        "X: 1\r\n  2", "X: 1\r\n\tTransfer-Encoding: chunked"}) {
    EXPECT_EQ(StatusOf(fmt::format("POST /v1/checkpoint HTTP/1.1\r\n{}\r\n\r\n0\r\n\r\n", fields)), "HTTP/1.1 400")
        << fields;
  }
  EXPECT_EQ(StatusOf("GET /healthz HTTP/1.1\r\nX:  1 \t 2 \r\nConnection: close\r\n\r\n"), "HTTP/1.1 200");
  ExpectAlive();
}

TEST_F(HostileTest, RefusesFieldsOfAccessThatAreGivenTwice) {
  for (const std::string_view field : {"Host", "Origin", "Authorization", "Transfer-Encoding"}) {
    EXPECT_EQ(StatusOf(fmt::format("GET /healthz HTTP/1.1\r\n{0}: chunked\r\n{0}: chunked\r\n\r\n0\r\n\r\n", field)),
              "HTTP/1.1 400")
        << field;
  }
  ExpectAlive();
}

TEST_F(HostileTest, RefusesWhatIsTooLarge) {
  EXPECT_EQ(StatusOf(fmt::format("GET / HTTP/1.1\r\nX: {}\r\n\r\n", std::string(100'000, 'x'))), "HTTP/1.1 431");
  EXPECT_EQ(StatusOf("POST /v1/checkpoint HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), "HTTP/1.1 413");
  ExpectAlive();
}

TEST_F(HostileTest, ChunksAreJoined) {
  EXPECT_THAT(
      StatusOf("POST /v1/conversations/a/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
               "8\r\n{\"type\":\r\ne\r\n\"turn_start\"}\n\r\n0\r\n\r\n"),
      "HTTP/1.1 200");
  EXPECT_EQ(Must(log_->Info(Id("a"))).last, Seq{1});
}

TEST_F(HostileTest, ABodyThatBreaksOffChangesNothing) {
  EXPECT_EQ(
      StatusOf("POST /v1/conversations/a/events HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"type\":\"turn_start\"}"),
      "closed");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
  ExpectAlive();
}

// Requests to which anything is done. `fields`: of the header, in each of them.
class MutatedRequests {
 public:
  explicit MutatedRequests(const std::string& fields) {
    const std::string encoded = std::string(8, '\0') + '\x08' + std::string(7, '\0') + "abcdefgh";
    const std::string close = "Connection: close\r\n\r\n", post = "POST /v1/conversations/a/";
    seeds_ = {"GET /v1/conversations?limit=3&after=a HTTP/1.1\r\n" + close,
              post + "events?expect=0 HTTP/1.1\r\nContent-Length: 21\r\n" + close + R"({"type":"turn_start"})",
              post + "respond HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + close + "1a\r\n" +
                  R"({"inquiry":"x","answer":[1]})" + "\r\n0\r\n\r\n",
              "PUT /v1/conversations/a/watermarks/x HTTP/1.1\r\nContent-Length: 23\r\n" + close +
                  R"({"head":1,"state":"YQ=="})",
              post + "redact HTTP/1.1\r\nContent-Type: application/vnd.turnlog.events.v1\r\nContent-Length: 24\r\n" +
                  close + encoded};
    for (std::string& seed : seeds_) seed.insert(seed.find("\r\n") + 2, fields);
  }

  std::string Next() {
    std::string request = seeds_[random_() % seeds_.size()];
    for (unsigned edits = 1 + random_() % 4; edits > 0; --edits) {
      const std::size_t at = random_() % request.size();
      if (random_() % 3 == 0) {
        request.erase(at, 1 + random_() % 8);
      } else if (random_() % 2 == 0) {
        request.insert(at, 1 + random_() % 8, static_cast<char>(random_()));
      } else {
        request[at] = static_cast<char>(random_());
      }
      if (request.empty()) request = "x";
    }
    return request;
  }

 private:
  std::vector<std::string> seeds_;
  std::mt19937 random_{20261122};
};

TEST_F(HostileTest, SurvivesTenThousandMutatedRequests) {
  MutatedRequests requests("");
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_THAT(SendRaw(requests.Next()), testing::Not(testing::HasSubstr("(no end)"))) << i;
  }
  ExpectAlive();
}

TEST_F(HostileTest, SurvivesThemOverTcpAsWell) {
  Stop();
  options_.listen = "127.0.0.1:0";
  options_.token = "0123456789abcdef";
  Start();
  const std::string host = service_->locations().back().substr(7);
  const SocketAddress address = Must(ParseTcpAddress(host));
  MutatedRequests requests("Host: " + host + "\r\nAuthorization: Bearer " + options_.token + "\r\n");
  for (int i = 0; i < 3'000; ++i) {
    ASSERT_THAT(SendRaw(requests.Next(), address), testing::Not(testing::HasSubstr("(no end)"))) << i;
  }
  ExpectAlive();
  EXPECT_TRUE(log_->Info(Id("a"))) << "hardly anything got in";
}

}  // namespace
}  // namespace turnlog::hostile_test
