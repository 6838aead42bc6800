// Following the log: order, positions that survive, waiting.
#include <thread>

#include "tests/log_conformance/conformance.h"

namespace turnlog::tail_test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

class TailTest : public ConformanceTest {
 protected:
  std::vector<std::string> From(const Position& position) { return TailLines(*Must(log_->Follow(position))); }
  std::vector<std::string> From(const Position& position, std::string_view conversation) {
    return TailLines(*Must(log_->Follow(position, Id(conversation))));
  }
};

TURNLOG_FOR_ALL_ENGINES(TailTest);

TEST_P(TailTest, GivesAllConversationsInOrderOfAppending) {
  Must(Append("b", {Say("1"), Say("2")}));
  Must(Append("a", Say("1")));
  Must(Append("b", NewTurn()));
  Must(Append("a", Say("2")));
  ExpectInOrder(From({}), {"b 1 1", "b 2 2", "a 1 1", "b 3 turn", "a 2 2"});
  EXPECT_THAT(From({}, "a"), ElementsAre("a 1 1", "a 2 2"));
  EXPECT_THAT(From({}, "b"), ElementsAre("b 1 1", "b 2 2", "b 3 turn"));
  EXPECT_THAT(From({}, "c"), IsEmpty());
}

TEST_P(TailTest, ContinuesWhenMoreIsAppended) {
  const auto all = Must(log_->Follow({}));
  const auto one = Must(log_->Follow({}, Id("new")));
  EXPECT_THAT(TailLines(*all), IsEmpty());
  Must(Append("a", Say("1")));
  EXPECT_THAT(TailLines(*all), ElementsAre("a 1 1"));
  EXPECT_THAT(TailLines(*one), IsEmpty());
  Must(Append("new", Say("1")));
  Must(log_->Checkpoint());
  Must(Append("a", Say("2")));
  ExpectInOrder(TailLines(*all), {"new 1 1", "a 2 2"});
  EXPECT_THAT(TailLines(*one), ElementsAre("new 1 1"));
  EXPECT_THAT(TailLines(*all), IsEmpty());
}

TEST_P(TailTest, TurnsAreAlwaysZero) {
  Must(Append("a", {NewTurn(), Say("1")}));
  const auto tail = Must(log_->Follow({}));
  EXPECT_EQ(Line(Must(tail->Next())), "1 0 turn");
  EXPECT_EQ(Line(Must(tail->Next())), "2 0 1");
}

TEST_P(TailTest, BeginsAtTheEnd) {
  EXPECT_THAT(From(Must(log_->End())), IsEmpty());
  Must(Append("a", Say("1")));
  const Position end = Must(log_->End());
  EXPECT_THAT(From(end), IsEmpty());
  Must(Append("b", {Say("1"), Say("2")}));
  EXPECT_THAT(From(end), ElementsAre("b 1 1", "b 2 2"));
  EXPECT_THAT(From(end, "b"), ElementsAre("b 1 1", "b 2 2"));
  EXPECT_THAT(From(end, "a"), IsEmpty());
}

TEST_P(TailTest, ContinuesFromEveryPosition) {
  for (int i = 1; i <= 120; ++i) {
    const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 900), '.');
    if (i % 4 == 0) {
      Must(Append("a", {Say(text), Say("x"), Say(text)}));
    } else {
      Must(Append(i % 3 == 0 ? "b" : "a", Say(text)));
    }
  }
  const std::vector<std::string> all = From({});
  ASSERT_EQ(all.size(), 180U);
  const auto tail = Must(log_->Follow({}));
  std::vector<Position> positions{tail->position()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Record>(Must(tail->Next())));
    positions.push_back(tail->position());
  }
  const auto check = [&] {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Position position = Must(Position::Parse(positions[i].ToText()));
      ExpectInOrder(From(position), {all.begin() + static_cast<std::ptrdiff_t>(i), all.end()});
      if (HasFailure()) FAIL() << "from position " << i;
    }
  };
  check();
  Reopen();
  check();
  ReopenAfterKill();
  check();
  ReopenWithoutDerived();
  check();
  Reopen(OpenMode::kRead);
  check();
}

TEST_P(TailTest, OfOneConversationRemembersHowFarItLooked) {
  Must(Append("a", Say("1")));
  for (int i = 0; i < 50; ++i) Must(Append("b", Say("x")));
  const auto tail = Must(log_->Follow({}, Id("a")));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
  Must(Append("a", Say("2")));
  EXPECT_THAT(From(tail->position(), "a"), ElementsAre("a 2 2"));
}

TEST_P(TailTest, RefusesAPositionOfAnotherStore) {
  const auto elsewhere = GetParam().make(0);
  const auto other = Must(elsewhere->Open(OpenMode::kCreate));
  for (Log* log : {log_.get(), other.get()}) Must(log->Append(Id("a"), Say("1")));
  EXPECT_EQ(CodeOf(log_->Follow(Must(other->End()))), "conflict");
  EXPECT_EQ(CodeOf(log_->Follow(Must(log_->End()))), "fine");
}

TEST_P(TailTest, RefusesAPositionThatIsNone) {
  Must(Append("a", Say("1")));
  for (const char* text : {"x", "-", "0-", "1-2-3", "\"}{"}) {
    const auto refused = log_->Follow(Must(Position::Parse(text)));
    EXPECT_EQ(CodeOf(refused), "invalid argument") << text;
  }
}

TEST_P(TailTest, WaitReturnsWhetherThereIsMore) {
  const auto tail = Must(log_->Follow({}));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(0))));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(5))));
  Must(Append("a", Say("1")));
  EXPECT_TRUE(Must(tail->Wait(milliseconds(0))));
  TailLines(*tail);
  EXPECT_FALSE(Must(tail->Wait(milliseconds(0))));
}

TEST_P(TailTest, WaitIsWokenByAnAppend) {
  const auto tail = Must(log_->Follow({}));
  std::thread writer([&] { Must(Append("a", Say("1"))); });
  EXPECT_TRUE(Must(tail->Wait(std::chrono::minutes(5))));
  writer.join();
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

TEST_P(TailTest, ReaderWaitsForAnotherHandle) {
  const auto reader = OpenReader();
  const auto tail = Must(reader->Follow({}));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(1))));
  std::thread writer([&] { Must(Append("a", Say("1"))); });
  EXPECT_TRUE(Must(tail->Wait(std::chrono::minutes(5))));
  writer.join();
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

TEST_P(TailTest, RecordsAreValidUntilTheNextCall) {
  const std::string large(200'000, 'l');
  Must(Append("a", {Say("1"), Say(large), Say("3")}));
  const auto tail = Must(log_->Follow({}));
  for (const std::string& text : {"1"s, large, "3"s}) {
    const Item item = Must(tail->Next());
    const auto& record = std::get<Record>(item);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record.payload.data()) % 8, 0U);
    EXPECT_EQ(Brief(Must(record.Decode())), text);
  }
}

}  // namespace
}  // namespace turnlog::tail_test
