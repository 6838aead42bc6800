// Random operations against a simple log in memory. TURNLOG_MODEL_SEED in the environment runs that seed alone,
// TURNLOG_MODEL_OPERATIONS sets how many operations a seed does (900, or 20,000 with TURNLOG_EFFORT=full).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <random>

#include "tests/log_conformance/conformance.h"
#include "tests/log_conformance/model_log.h"
#include "tests/support/effort.h"
#include "turnlog/verify_log.h"

namespace turnlog::model_test {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoull(value);
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t operator()(std::uint64_t sides) { return random_() % sides; }
  bool Percent(std::uint64_t percent) { return (*this)(100) < percent; }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[(*this)(from.size())];
  }

 private:
  std::mt19937_64 random_;
};

class ModelTest : public testing::TestWithParam<std::tuple<TestedEngine, std::uint64_t>>, protected EngineFixture {
 protected:
  ModelTest() : EngineFixture(std::get<TestedEngine>(GetParam()), seed()), dice_(seed()) {}

  static std::uint64_t seed() { return std::get<std::uint64_t>(GetParam()); }

  Event RandomEvent() {
    const std::uint64_t kind = dice_(20);
    const InquiryId& id = dice_.Pick(ids_);
    Event event = kind < 8 ? Say(std::string(dice_.Percent(5) ? dice_(9000) : dice_(60), static_cast<char>('a' + kind)))
                  : kind < 10 ? NewTurn()
                  : kind < 13 ? Ask(id)
                  : kind < 15 ? AskSecret(id)
                  : kind < 17 ? Answer(id)
                  : kind < 18 ? Cancel(id)
                              : Redacted(id);
    if (dice_.Percent(30)) event.event_id = "e" + std::to_string(dice_(300));
    if (dice_.Percent(50)) event.timestamp = Timestamp{static_cast<std::int64_t>(dice_(2000)) - 1000};
    return event;
  }

  void AppendSomething() {
    const std::string& conversation = dice_.Pick(conversations_);
    std::vector<Event> events;
    for (std::uint64_t left = dice_.Percent(70) ? 1 : 1 + dice_(12); left > 0; --left) events.push_back(RandomEvent());
    AppendOptions options{.durability = dice_.Percent(5) ? Durability::kSync : Durability::kBuffered,
                          .expected_last = {}};
    if (dice_.Percent(20)) options.expected_last = Seq{model_.Last(conversation) + (dice_.Percent(30) ? dice_(3) : 0)};
    std::vector<EventView> views;
    for (const Event& event : events) views.push_back(View(event));
    const bool later = dice_.Percent(30);
    const auto result =
        later ? log_->AppendLater(Id(conversation), views, options) : log_->Append(Id(conversation), events, options);
    if (result) last_ticket_ = result->ticket;
    if (!result && result.error().code == ErrorCode::kConflict) {
      ASSERT_EQ(result.error().last_seq, model_.Last(conversation));
    }
    ASSERT_EQ(result ? fmt::format("{}", fmt::join(Seqs(result), " ")) : CodeOf(result),
              model_.Append(conversation, events, options.expected_last));
  }

  void WriteAll() { Must(log_->Wait(last_ticket_, Durability::kBuffered)); }

  ReadOptions RandomRead(const std::string& conversation) {
    ReadOptions options{.backward = dice_.Percent(50)};
    const std::uint64_t last = model_.Last(conversation);
    if (dice_.Percent(60)) options.from = Seq{dice_(last + 3)};
    if (dice_.Percent(20)) options.from_turn = Turn{dice_(last / 10 + 3)};
    if (dice_.Percent(20)) options.last_turns = dice_(last / 10 + 3);
    if (dice_.Percent(60)) options.limit = dice_(40);
    return options;
  }

  void Compare(Log& log) {
    const std::string& conversation = dice_.Pick(conversations_);
    if (!model_.Has(conversation)) {
      ASSERT_EQ(CodeOf(log.ReadRaw(Id(conversation))), "not found");
      ASSERT_EQ(CodeOf(log.Pending(Id(conversation))), "not found");
      return;
    }
    switch (dice_(6)) {
      case 0:
      case 1:
      case 2: {
        const ReadOptions options = RandomRead(conversation);
        ASSERT_EQ(Lines(log, conversation, options), model_.Read(conversation, options));
        break;
      }
      case 3: {
        const InquiryId& id = dice_.Pick(ids_);
        ASSERT_EQ(AttemptLines(log, conversation, id), model_.AttemptLines(conversation, id));
        break;
      }
      case 4:
        ASSERT_EQ(PendingLines(log), model_.Pending());
        ASSERT_EQ(PendingLines(log, conversation), model_.Pending(conversation));
        break;
      case 5:
        CompareLists(log);
        break;
      default:
        FAIL();
    }
  }

  void CompareLists(Log& log) {
    const std::string after = dice_.Percent(50) ? "" : dice_.Pick(conversations_);
    const std::size_t limit = dice_(conversations_.size() + 2);
    std::vector<std::string> lines;
    for (const ConversationInfo& info : Must(log.List(after, limit))) lines.push_back(InfoLine(info));
    ASSERT_EQ(lines, model_.List(after, limit));
  }

  // The same tail as before, or another one from a position that was noted earlier.
  void CompareTail(Log& log) {
    WriteAll();
    Must(log.Refresh());
    if (&log != log_.get() || tail_ == nullptr || dice_.Percent(20)) {
      const auto& [position, index] = dice_.Pick(positions_);
      const auto tail = Must(log.Follow(position));
      ExpectTail(*tail, index);
      return;
    }
    ExpectTail(*tail_, tail_index_);
    tail_index_ = model_.Tail().size();
    positions_.emplace_back(tail_->position(), tail_index_);
  }

  void ExpectTail(Tail& tail, std::size_t from) {
    const auto& all = model_.Tail();
    const std::vector<std::string> expected(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
    ExpectInOrder(TailLines(tail), expected);
  }

  void FollowAgain() {
    const auto& [position, index] = dice_.Pick(positions_);
    tail_ = Must(log_->Follow(position));
    tail_index_ = index;
  }

  Log& Reader() {
    WriteAll();
    if (reader_ == nullptr || dice_.Percent(5)) {
      reader_ = OpenReader();
    } else {
      Must(reader_->Refresh());
    }
    return *reader_;
  }

  void Upheaval() {
    tail_.reset();
    switch (dice_(4)) {
      case 0:
        Reopen();
        break;
      case 1:
        WriteAll();
        reader_.reset();
        ReopenAfterKill();
        break;
      case 2:
        reader_.reset();
        ReopenWithoutDerived();
        break;
      case 3:
        if (dice_.Percent(50)) WriteAll();
        ExpectSound();
        break;
      default:
        FAIL();
    }
  }

  void ExpectSound() {
    EXPECT_EQ(store_->Check(), "");
    EXPECT_THAT(Must(VerifyLog(*OpenReader())).differences, testing::IsEmpty());
  }

  void Operate() {
    const std::uint64_t what = dice_(1000);
    if (what < 450) return AppendSomething();
    if (what < 800) return Compare(*log_);
    if (what < 860) return CompareTail(*log_);
    if (what < 940) return Compare(Reader());
    if (what < 960) return CompareTail(Reader());
    if (what < 980) return FollowAgain();
    if (what < 995) return Must(log_->Checkpoint());
    Upheaval();
  }

  Dice dice_;
  ModelLog model_;
  std::unique_ptr<Log> reader_;
  std::unique_ptr<Tail> tail_;  // of log_
  std::size_t tail_index_ = 0;
  std::vector<std::pair<Position, std::size_t>> positions_{{Position{}, 0}};
  Ticket last_ticket_;
  const std::vector<std::string> conversations_{"a", "aa", "b", "\xC3\xA9", "a b", "10", "9"};
  const std::vector<InquiryId> ids_{Opaque("a.b.c.1"),    Keyed("a.b", "c", 1), Keyed("a", "b", 1),
                                    Keyed("a.b", "c", 2), Opaque("x"),          Opaque("a.b")};
};

std::vector<std::uint64_t> Seeds() {
  if (const std::uint64_t seed = FromEnvironment("TURNLOG_MODEL_SEED", 0); seed != 0) return {seed};
  return {1, 2, 3, 4, std::random_device()()};
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, testing::Combine(testing::ValuesIn(Engines()), testing::ValuesIn(Seeds())),
                         [](const auto& both) {
                           const std::uint64_t seed = std::get<1>(both.param);
                           return std::get<0>(both.param).name + (seed <= 4 ? std::to_string(seed) : "random");
                         });

TEST_P(ModelTest, LogDoesWhatTheModelDoes) {
  SCOPED_TRACE(fmt::format("TURNLOG_MODEL_SEED={}", seed()));
  std::cout << "seed " << seed() << std::endl;
  const std::uint64_t operations = FromEnvironment("TURNLOG_MODEL_OPERATIONS", SampleSize(900, 20'000));
  for (std::uint64_t i = 0; i < operations; ++i) {
    SCOPED_TRACE(fmt::format("operation {}", i));
    Operate();
    if (HasFailure()) return;
  }
  Close();
  ExpectSound();
}

}  // namespace
}  // namespace turnlog::model_test
