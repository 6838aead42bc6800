#include <signal.h>  // NOLINT(modernize-deprecated-headers): signals are POSIX

#include "tests/logctl/logctl_test.h"
#include "turnlog/event_json.h"

namespace turnlog::tail_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

std::string Hello(int number) { return R"({"type":"chat_request","content":"hello )" + std::to_string(number) + "\"}"; }

class TailTest : public LogctlTest {
 protected:
  // What a tail said when it stopped.
  static std::string PositionIn(const std::string& messages) {
    constexpr std::string_view kBefore = "logctl: position ";
    const std::size_t at = messages.find(kBefore);
    EXPECT_NE(at, std::string::npos) << messages;
    if (at == std::string::npos) return {};
    const std::size_t begin = at + kBefore.size();
    return messages.substr(begin, messages.find('\n', begin) - begin);
  }

  Strings WithStore(Strings words) {
    words.insert(words.begin(), {"--store", store()});
    return words;
  }
};

TEST_F(TailTest, GivesTheWholeLogInTheOrderOfAppending) {
  Append("b", Hello(1));
  Append("a", Hello(2));
  Append("b", Hello(3));
  const Ran ran = Logctl({"tail"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(Lines(ran.out), testing::ElementsAre(HasSubstr("hello 1"), HasSubstr("hello 2"), HasSubstr("hello 3")));
  EXPECT_THAT(ran.out, StartsWith(R"({"conversation":"b","seq":1,"type":"chat_request")"));
  EXPECT_THAT(Lines(Logctl({"tail", "b"}).out), SizeIs(2));
}

TEST_F(TailTest, GoesOnWhereAnEarlierOneStopped) {
  Append("a", Hello(1));
  const std::string position = PositionIn(Logctl({"tail"}).err);
  EXPECT_EQ(Logctl({"tail", "--from", position}).out, "");
  Append("a", Hello(2));
  const Ran ran = Logctl({"tail", "--from", position});
  EXPECT_THAT(Lines(ran.out), testing::ElementsAre(HasSubstr("hello 2")));
  EXPECT_NE(PositionIn(ran.err), position);
  EXPECT_THAT(Lines(Logctl({"tail", "--from", "begin"}).out), SizeIs(2));
  EXPECT_THAT(Lines(Logctl({"tail", "--from", "0-0"}).out), SizeIs(2));
  EXPECT_THAT(Lines(Logctl({"tail", "--from", "end"}).out), SizeIs(0));
}

TEST_F(TailTest, RefusesAPositionThatIsNone) {
  Append("a", Hello(1));
  EXPECT_THAT(Logctl({"tail", "--from", "yesterday"}), Fails(2));
  EXPECT_THAT(Logctl({"tail", "--from", "8-1234"}), Fails(1));
}

TEST_F(TailTest, FailsForAConversationThatIsNotThere) {
  Append("a", Hello(1));
  EXPECT_THAT(Logctl({"tail", "b"}), Fails(1));
}

TEST_F(TailTest, FollowsAWriterInAnotherProcessAndEndsInGoodOrderOnASignal) {
  Append("a", Hello(1));
  const std::string messages = (folder_ / "messages").string();
  Running tail(WithStore({"tail", "-f", "--from", "begin"}), messages);
  EXPECT_THAT(tail.ReadLine(), HasSubstr("hello 1"));
  {
    const auto writer = Open(OpenMode::kWrite);
    ASSERT_TRUE(writer->Append(*ConversationId::Parse("a"), *ParseEvent(Hello(2))));
    EXPECT_THAT(tail.ReadLine(), HasSubstr("hello 2"));
  }
  tail.Signal(SIGINT);
  EXPECT_EQ(tail.Wait(), 0);
  EXPECT_EQ(PositionIn(ReadFile("messages")), PositionIn(Logctl({"tail"}).err));
}

TEST_F(TailTest, FollowsAConversationThatDoesNotExistYetAndEndsOnSigterm) {
  Append("a", Hello(1));
  Running tail(WithStore({"tail", "-f", "--from", "begin", "b"}), (folder_ / "messages").string());
  Append("b", Hello(2));
  EXPECT_THAT(tail.ReadLine(), HasSubstr("hello 2"));
  tail.Signal(SIGTERM);
  EXPECT_EQ(tail.Wait(), 0);
}

TEST_F(TailTest, EndsWhenItsReaderGoesAwayAlthoughNothingIsAppended) {
  Append("a", Hello(1));
  Running tail(WithStore({"tail", "-f", "--from", "begin"}), (folder_ / "messages").string());
  EXPECT_THAT(tail.ReadLine(), HasSubstr("hello 1"));
  tail.CloseOutput();
  EXPECT_EQ(tail.Wait(), 0);
}

}  // namespace
}  // namespace turnlog::tail_test
