// A service that is stopped and started again while questions wait.
#include <fmt/format.h>

#include <set>
#include <thread>

#include "remote/object_reader.h"
#include "tests/service/service_fixture.h"
#include "turnlog/service/wait_for_answer.h"

namespace turnlog::restart_test {
namespace {

constexpr int kConversations = 100, kEach = 10;

class RestartTest : public ServiceTest {
 protected:
  static std::string Name(int conversation) { return fmt::format("c{}", conversation); }
  static std::string Inquiry(int number) { return fmt::format("q{}", number); }

  void AskAll() {
    for (int c = 0; c < kConversations; ++c) {
      std::vector<Event> events{NewTurn(), Say("go")};
      for (int q = 0; q < kEach; ++q) events.push_back(Ask(Opaque(Inquiry(q))));
      Must(service_->log().Append(Id(Name(c)), events));
    }
  }
  // "conversation/inquiry" of each that waits; none may be there twice.
  std::multiset<std::string> Waiting() {
    std::multiset<std::string> waiting;
    for (const ObjectReader& each : Must(ObjectReader::Parse(Get("/v1/pending").body)).Objects("pending")) {
      waiting.insert(each.Text("conversation") + "/" + each.Text("id"));
    }
    return waiting;
  }
  int Respond(int conversation, int inquiry) {
    return Post(fmt::format("/v1/conversations/{}/respond", Name(conversation)),
                fmt::format(R"({{"inquiry":"{}","answer":"yes"}})", Inquiry(inquiry)))
        .status;
  }
};

TEST_F(RestartTest, AThousandQuestionsAreNeitherLostNorDoubled) {
  AskAll();
  std::multiset<std::string> expected;
  for (int c = 0; c < kConversations; ++c) {
    for (int q = 0; q < kEach; ++q) expected.insert(Name(c) + "/" + Inquiry(q));
  }
  Restart();
  EXPECT_EQ(Waiting(), expected);
  for (int c = 0; c < kConversations; c += 2) {
    for (int q = 0; q < kEach; ++q) {
      ASSERT_EQ(Respond(c, q), 200);
      expected.erase(Name(c) + "/" + Inquiry(q));
    }
  }
  Restart();
  EXPECT_EQ(Waiting(), expected);
  for (int c = 0; c < kConversations; c += 2) EXPECT_EQ(Respond(c, c % kEach), 409);
  EXPECT_EQ(Waiting(), expected);
}

}  // namespace
}  // namespace turnlog::restart_test
