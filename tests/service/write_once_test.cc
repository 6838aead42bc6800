#include "service/write_once.h"

#include <gmock/gmock.h>

#include <latch>
#include <new>
#include <thread>

#include "tests/support/must.h"

namespace turnlog::write_once_test {
namespace {

class WriteOnceTest : public testing::Test {
 protected:
  std::string Run(std::string_view key) {
    const auto answer = once_.Run(key, [&] { return WriteOnce::Answer(std::to_string(++writes_)); });
    return answer ? *answer : CodeOf(answer);
  }

  WriteOnce once_;
  int writes_ = 0;
};

TEST_F(WriteOnceTest, AWriteThatIsSentAgainIsNotDoneAgain) {
  EXPECT_EQ(Run("a/1"), "1");
  EXPECT_EQ(Run("a/1"), "1");
  EXPECT_EQ(Run("a/2"), "2");
  EXPECT_EQ(Run("b/1"), "3");
  EXPECT_EQ(Run("a/2"), "2");
  EXPECT_EQ(writes_, 3);
}

TEST_F(WriteOnceTest, ErrorsAreAnswersToo) {
  const auto fail = [&] { return WriteOnce::Answer(std::unexpected(Error{ErrorCode::kConflict, "", 7})); };
  EXPECT_EQ(CodeOf(once_.Run("a/1", fail)), "conflict");
  EXPECT_EQ(Run("a/1"), "conflict");
  EXPECT_EQ(writes_, 0);
}

TEST_F(WriteOnceTest, AWriteThatWasOvertakenIsRefused) {
  EXPECT_EQ(Run("a/2"), "1");
  EXPECT_EQ(Run("a/1"), "invalid argument");
  EXPECT_EQ(writes_, 1);
}

TEST_F(WriteOnceTest, RefusesOtherKeys) {
  for (const char* key : {"", "a", "a/", "/1", "a/0", "a/-1", "a/x", "a/1x", "a/99999999999999999999"}) {
    EXPECT_EQ(Run(key), "invalid argument") << key;
  }
}

TEST_F(WriteOnceTest, WaitsForAWriteThatIsBeingDone) {
  std::latch begun(1);
  std::string second;
  std::thread first([&] {
    (void)once_.Run("a/1", [&] {
      begun.count_down();
      return WriteOnce::Answer("first");
    });
  });
  begun.wait();
  EXPECT_EQ(Run("a/1"), "first");
  first.join();
}

TEST_F(WriteOnceTest, AWriteMayEndLaterThanWhatBeganIt) {
  auto write = once_.TryBegin("a/1");
  ASSERT_TRUE(write);
  EXPECT_FALSE(once_.TryBegin("a/1")) << "it has begun";
  EXPECT_FALSE(once_.TryBegin("a/2")) << "its lane is busy";
  EXPECT_TRUE(once_.TryBegin("b/1"));
  EXPECT_TRUE(once_.Knows("a/1"));
  std::string again;
  std::thread second([&] { again = Run("a/1"); });
  EXPECT_EQ(Must(write->End("first")), "first");
  second.join();
  EXPECT_EQ(again, "first");
  EXPECT_EQ(writes_, 0);
  EXPECT_FALSE(once_.TryBegin("a/1")) << "it has ended";
  EXPECT_TRUE(once_.TryBegin("a/2"));
}

TEST_F(WriteOnceTest, AWriteThatEndsWithoutAnAnswerMayBeginAgain) {
  {
    const auto write = once_.TryBegin("a/1");
  }
  EXPECT_FALSE(once_.Knows("a/1"));
  EXPECT_EQ(Run("a/1"), "1");
  EXPECT_THROW((void)once_.Run("a/2", []() -> WriteOnce::Answer { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(Run("a/2"), "2");
  for (const char* key : {"", "a/0", "a"}) EXPECT_FALSE(once_.TryBegin(key)) << key;
}

// One answer names each of the events that were appended, and each client has lanes of its own.
TEST_F(WriteOnceTest, LargeAnswersOfOldLanesAreForgotten) {
  constexpr std::size_t kLarge = std::size_t{10} << 20;
  const auto large = [&] { return ++writes_, WriteOnce::Answer(std::string(kLarge, 'x')); };
  for (int lane = 0; lane < 20; ++lane) (void)once_.Run(std::to_string(lane) + "/1", large);
  EXPECT_LE(once_.bytes(), std::size_t{64} << 20);
  EXPECT_EQ(Must(once_.Run("19/1", large)).size(), kLarge);
  EXPECT_EQ(Must(once_.Run("15/1", large)).size(), kLarge);
  EXPECT_EQ(writes_, 20);
  (void)once_.Run("19/2", [] { return WriteOnce::Answer("small"); });
  EXPECT_LE(once_.bytes(), std::size_t{54} << 20);
}

TEST_F(WriteOnceTest, KnowsWhatHasBegunHere) {
  EXPECT_FALSE(once_.Knows("a/1"));
  Run("a/1");
  EXPECT_TRUE(once_.Knows("a/1"));
  EXPECT_FALSE(once_.Knows("a/2"));
}

}  // namespace
}  // namespace turnlog::write_once_test
