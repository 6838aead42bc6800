// The answer in clear to a question for a secret is refused whatever other processes append at the same moment: what
// was decided on one state of a conversation is not committed on another one.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "schema/event/codec.h"
#include "tests/log_conformance/stored_text.h"
#include "tests/sql/row_locks.h"
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::secret_races_test {
namespace {

using testing::Contains;
using testing::IsEmpty;

const InquiryId kToken = Opaque("token");

// Two appends of two processes, of which the second one begins while the first one is about to commit.
struct Race {
  std::string name;
  std::vector<Event> before, first, second;
  std::string code;  // of the second append, without an expected seq
};

std::vector<Race> Races() {
  const Event ask = Ask(kToken), ask_secret = AskSecret(kToken), answer = Answer(kToken), redacted = Redacted(kToken);
  return {
      {"the question, then the answer", {Say("1")}, {ask_secret}, {answer}, "secret refused"},
      {"as the first of a conversation", {}, {ask_secret}, {answer}, "secret refused"},
      {"the answer, then the question", {Say("1")}, {answer}, {ask_secret}, "fine"},
      {"within batches", {NewTurn()}, {Say("2"), ask_secret, Say("4")}, {Say("5"), answer, Say("7")}, "secret refused"},
      {"asked again as a secret", {ask}, {ask_secret}, {answer}, "secret refused"},
      {"asked again as a secret, in a batch",
       {ask},
       {Cancel(kToken), ask_secret},
       {Say("x"), answer},
       "secret refused"},
      {"asked again and redacted", {ask}, {Cancel(kToken), ask_secret, redacted}, {answer}, "secret refused"},
      {"the one that is no secret is answered", {ask_secret, ask}, {answer}, {answer}, "secret refused"},
      {"the one that is no secret is cancelled",
       {ask_secret, ask},
       {Say("x"), Cancel(kToken)},
       {answer},
       "secret refused"},
      {"answered, then asked as a secret", {ask}, {answer}, {ask_secret}, "fine"},
      {"of two answers to one question", {ask}, {answer}, {answer}, "fine"},
      {"a turn and its question", {ask, NewTurn()}, {NewTurn(), ask_secret}, {answer}, "secret refused"},
      {"a turn ends what was asked, but a secret stays one",
       {ask_secret, ask},
       {NewTurn()},
       {answer},
       "secret refused"},
      {"a question of the same event_id",
       {Say("1")},
       {Named("q", ask_secret)},
       {Named("q", ask), answer},
       "secret refused"},
      {"an answer of the same event_id", {ask}, {Named("r", redacted)}, {Named("r", answer)}, "fine"},
  };
}

class SecretRacesTest : public Destroying<SqlTest> {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (IsSkipped()) return;
    first_ = OpenStore({.holder = "first"});
    second_ = OpenStore({.holder = "second"});
  }
  // Appends both, and returns the result of the second one.
  Result<AppendResult> RunRace(const Race& race, const std::string& conversation, const AppendOptions& options) {
    // Both know the head, as processes do that have appended before.
    for (const auto& log : {first_.get(), second_.get()})
      (void)log->Append(Id(conversation), Say(""), {.expected_last = Seq{99}});
    RowLocks lane(schema_->Url(), "turnlog_lane");
    EXPECT_TRUE(lane.held());
    std::atomic<bool> first_done = false, second_done = false;
    std::thread appending([&] {
      EXPECT_EQ(CodeOf(Append(*first_, conversation, race.first, options)), "fine");
      first_done = true;
    });
    AwaitLockedSession(server(), "first", first_done);
    Result<AppendResult> result;
    std::thread racing([&] {
      result = Append(*second_, conversation, race.second, options);
      second_done = true;
    });
    AwaitLockedSession(server(), "second", second_done);
    EXPECT_FALSE(first_done || second_done);
    lane.Release();
    appending.join();
    racing.join();
    return result;
  }
  std::uint64_t LastOf(const std::string& conversation) {
    const auto info = log_->Info(Id(conversation));
    return info ? info->last.value : 0;
  }
  static std::uint64_t NewEvents(const Result<AppendResult>& appended) {
    std::uint64_t count = 0;
    for (const AppendedEvent& event : appended->events) count += event.repeated ? 0 : 1;
    return count;
  }

  std::unique_ptr<Log> first_, second_;  // of two processes
};

TEST_F(SecretRacesTest, TheSecondAppendIsJudgedOnWhatTheFirstOneLeft) {
  for (const Race& race : Races()) {
    SCOPED_TRACE(race.name);
    if (!race.before.empty()) Must(Append(*log_, race.name, race.before));
    const auto second = RunRace(race, race.name, {});
    EXPECT_EQ(CodeOf(second), race.code);
    EXPECT_EQ(LastOf(race.name), race.before.size() + race.first.size() + (second ? NewEvents(second) : 0));
  }
}

TEST_F(SecretRacesTest, WithAnExpectedSeqTheSecondAppendIsAConflict) {
  for (const Race& race : Races()) {
    // It appends nothing: a repeat, whatever it expects.
    if (race.name == "an answer of the same event_id") continue;
    SCOPED_TRACE(race.name);
    if (!race.before.empty()) Must(Append(*log_, race.name, race.before));
    const auto second = RunRace(race, race.name, {.expected_last = Seq{race.before.size()}});
    ASSERT_EQ(CodeOf(second), "conflict");
    EXPECT_EQ(second.error().last_seq, race.before.size() + race.first.size());
    EXPECT_EQ(LastOf(race.name), race.before.size() + race.first.size());
  }
}

// Neither in a row that was rolled back, nor in the server's log.
TEST_F(SecretRacesTest, TheRefusedAnswerReachesNoTable) {
  const Race race{"a", {Ask(kToken)}, {AskSecret(kToken)}, {Say("beside it"), Answer(kToken)}, ""};
  Must(Append(*log_, "a", race.before));
  EXPECT_EQ(CodeOf(RunRace(race, "a", {})), "secret refused");
  EXPECT_THAT(StoredObjectsWith(*log_, "hush-hush"), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, "beside it"), IsEmpty());
  EXPECT_THAT(server().Log(), testing::Not(testing::HasSubstr("hush-hush")));
}

// The question is redacted or erased while it is answered: it still asked for a secret.
TEST_F(SecretRacesTest, ADestroyedQuestionStillAskedForASecret) {
  for (const bool erase : {false, true}) {
    const std::string name = erase ? "erased" : "redacted";
    SCOPED_TRACE(name);
    Must(Append(*log_, name, {AskSecret(kToken), Ask(kToken)}));
    RowLocks store(schema_->Url(), "turnlog_store");  // which says that a purge is due
    std::atomic<bool> changed = false, answered = false;
    std::thread changing([&] {
      EXPECT_EQ(erase ? CodeOf(Erase(name, {1})) : CodeOf(Redact(name, {{1, AskSecret(kToken)}})), "fine");
      changed = true;
    });
    AwaitLockedSession(server(), "turnlog", changed);
    std::thread answering([&] {
      EXPECT_EQ(CodeOf(second_->Append(Id(name), Answer(kToken))), "fine");  // to the one that is no secret
      answered = true;
    });
    AwaitLockedSession(server(), "second", answered);
    EXPECT_FALSE(changed || answered);
    store.Release();
    changing.join();
    answering.join();
    EXPECT_EQ(CodeOf(second_->Append(Id(name), Answer(kToken))), "secret refused");
    EXPECT_EQ(LastOf(name), erase ? 3U : 4U);
  }
}

// --- At random, in processes ---

std::vector<Event> RandomEvents(std::mt19937& random) {
  std::vector<Event> events;
  do {
    switch (random() % 7) {
      case 0:
        events.push_back(NewTurn());
        break;
      case 1:
        events.push_back(Ask(kToken));
        break;
      case 2:
        events.push_back(AskSecret(kToken));
        break;
      case 3:
        events.push_back(Redacted(kToken));
        break;
      default:
        events.push_back(Answer(kToken));
    }
  } while (random() % 3 == 0);
  return events;
}

// Half of the appends expect the last seq that this process knows of. Returns whether each ended as it may.
bool AppendAtRandom(const std::string& url, unsigned seed) {
  std::mt19937 random(seed);
  const auto log = OpenSqlLog(url, {.connections = 1});
  std::set<std::string> seen;
  std::uint64_t last = 0;
  for (int i = 0; log && i < 120; ++i) {
    AppendOptions options;
    if (random() % 2 == 0) options.expected_last = Seq{last};
    const auto appended = (*log)->Append(Id("a"), RandomEvents(random), options);
    if (appended) last = appended->events.back().seq.value;
    if (!appended && appended.error().last_seq) last = *appended.error().last_seq;
    seen.insert(CodeOf(appended));
  }
  static const std::set<std::string> allowed{"fine", "conflict", "secret refused"};
  return seen.contains("fine") && std::ranges::includes(allowed, seen);
}

// The rule, told once more: an answer belongs to the last question that is open, or if none is, to the last one for a
// secret in its turn.
class Answers {
 public:
  // Whether the event is the answer in clear to a question for a secret.
  bool IsSecret(const EventView& event) {
    if (event.kind() == EventKind::kTurnStart) *this = {};
    if (const auto* request = std::get_if<InquiryRequestView>(&event.body)) {
      open_.push_back(request->question.answer_type.kind == AnswerKind::kSecret);
      asked_for_secret_ |= open_.back();
    }
    const auto* response = std::get_if<InquiryResponseView>(&event.body);
    if (response == nullptr) return false;
    const bool secret = open_.empty() ? asked_for_secret_ : open_.back();
    if (!open_.empty()) open_.pop_back();
    return secret && response->outcome == Outcome::kAnswered;
  }

 private:
  std::vector<bool> open_;
  bool asked_for_secret_ = false;
};

TEST_F(SecretRacesTest, NoOrderOfProcessesStoresASecret) {
  const std::string url = schema_->Url();
  std::vector<pid_t> processes;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    processes.push_back(::fork());
    if (processes.back() == 0) ::_exit(AppendAtRandom(url, seed) ? 0 : 1);
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  Answers answers;
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  for (Item item = Must(cursor->Next()); std::holds_alternative<Record>(item); item = Must(cursor->Next())) {
    const Record& record = std::get<Record>(item);
    EXPECT_FALSE(answers.IsSecret(Must(DecodeEvent(record.payload)))) << record.seq.value;
  }
  EXPECT_THAT(Lines(*log_, "a"), Contains(testing::EndsWith("answer token")));
}

}  // namespace
}  // namespace turnlog::secret_races_test
