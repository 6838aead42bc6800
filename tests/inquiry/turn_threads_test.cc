// Many turns of many conversations on one store, and many threads in one turn.
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/inquirer.h"

namespace turnlog::turn_threads_test {
namespace {

class TurnThreadsTest : public InquiryTest {
 protected:
  template <class Work>
  static void Run(int count, Work work) {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  }

  static Responders Yes() {
    return {.user = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
      return PromptReply{PromptReply::Kind::kAnswer, J("true"), false, {}};
    }};
  }

  // A call with two questions, one of which is answered from elsewhere.
  static void PlayCall(TurnRecorder& turn, const std::string& call) {
    Must(turn.RequestTool(Call(call)));
    EXPECT_EQ(Must(Inquire(turn, Asks(call, "q", Boolean()), Target{}, Yes())).kind, Resolution::Kind::kAnswered);
    Must(turn.Cancel(Must(turn.Ask(Asks(call, "q", Boolean()))).text, "expired"));
    Must(turn.FinishTool(call, {"done", false, {}}));
  }
};

TEST_F(TurnThreadsTest, ManyTurnsInManyConversationsRunAtOnce) {
  constexpr int kThreads = 6, kTurns = 4;
  Run(kThreads, [&](int thread) {
    const ConversationId id = Id(fmt::format("conversation {}", thread));
    for (int i = 0; i < kTurns; ++i) {
      const auto turn = Must(TurnRecorder::Begin(*log_, id, {"go", {}, {}}));
      PlayCall(*turn, "a");
      Must(turn->RequestTool(Call("b")));
      Must(turn->DenyTool("b", "no"));
      EXPECT_EQ(Must(UndeliveredDenials(*log_, id)).size(), 1U);
      Must(turn->Respond({ChatPart::kMessage, "bye"}));
      EXPECT_EQ(Must(LoadTurnState(*log_, id)), turn->state());
    }
  });
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(Events(*log_, fmt::format("conversation {}", thread)).size(), std::size_t{kTurns * 11});
  }
}

TEST_F(TurnThreadsTest, ManyThreadsWorkInOneTurnWhileOthersAppendWhatBelongsToNoTurn) {
  constexpr int kThreads = 4, kCalls = 5, kNotes = 20;
  auto turn = Begin();
  std::jthread notes([&] {
    for (int i = 0; i < kNotes; ++i) {
      Must(log_->Append(c_, Event{.body = Verbatim{EventKind::kUnknown, "note", J(R"({"type":"note"})")}}, kBuffered));
    }
  });
  Run(kThreads, [&](int thread) {
    for (int i = 0; i < kCalls; ++i) PlayCall(*turn, fmt::format("call {} {}", thread, i));
  });
  notes.join();
  Must(turn->Refresh());
  EXPECT_EQ(Doing(turn->state()), "calling_model calls:  questions: ");
  EXPECT_EQ(Must(LoadTurnState(*log_, c_)), turn->state());
  EXPECT_EQ(Events(*log_).size(), std::size_t{2 + kNotes + kThreads * kCalls * 6});
}

TEST_F(TurnThreadsTest, OfManyThreadsThatAnswerOneInquiryOneSucceeds) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const std::string id = Must(turn->Ask(Asks("a", "q", Boolean()))).text;
  std::atomic<int> succeeded = 0, refused = 0;
  Run(6, [&](int) {
    const std::string code = CodeOf(turn->Answer(id, ByUser("true")));
    succeeded += code == "fine" ? 1 : 0;
    refused += code == "conflict" ? 1 : 0;
  });
  EXPECT_EQ(succeeded, 1);
  EXPECT_EQ(refused, 5);
}

TEST_F(TurnThreadsTest, ThreadsThatAskTheSameQuestionAtOnceGetOneAnswer) {
  constexpr int kThreads = 6;
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  std::atomic<int> asking = 0, prompts = 0;
  const Responders user{.user = [&](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    ++prompts;
    while (asking < kThreads) std::this_thread::yield();  // until all have begun to ask
    return PromptReply{PromptReply::Kind::kAnswer, J("true"), false, {}};
  }};
  Run(kThreads, [&](int) {
    ++asking;
    EXPECT_EQ(Must(Inquire(*turn, Asks("a", "q", Boolean()), Target{}, user)).answer, J("true"));
  });
  EXPECT_EQ(static_cast<std::size_t>(prompts), Events(*log_).size() / 2 - 1);  // each is a pair beside the first events
  EXPECT_LE(prompts, kThreads);
}

TEST_F(TurnThreadsTest, ThreadsWhoseAskingIsLeftByAnExceptionAskAgain) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  std::atomic<int> prompts = 0, threw = 0;
  const Responders user{.user = [&](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    if (++prompts == 1) throw std::runtime_error("broken");
    return PromptReply{PromptReply::Kind::kAnswer, J("true"), false, {}};
  }};
  Run(4, [&](int) {
    try {
      Must(Inquire(*turn, Asks("a", "q", Boolean()), Target{}, user));
    } catch (const std::runtime_error&) {
      ++threw;
    }
  });
  EXPECT_EQ(threw, 1);
  EXPECT_EQ(Doing(turn->state()), "running_tools calls: a questions: ");
}

// What users and prompters do at random; says when a question is asked twice at once.
class FickleUser {
 public:
  explicit FickleUser(std::uint64_t seed) : random_(seed) {}

  Result<PromptReply> operator()(const InquiryRequest& inquiry) {
    const std::string question = inquiry.id.key->tool_call + "." + inquiry.id.key->question;
    const int does = Begin(question);
    std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    asking_.erase(question);
    if (does == 0) return PromptReply{};
    if (does == 1) return std::unexpected(Error{ErrorCode::kIo, "the page is gone"});
    if (does == 2) throw std::runtime_error("broken");
    EXPECT_TRUE(closed_.insert(inquiry.id.text).second) << inquiry.id.text << " is asked although it has its answer";
    if (does == 3) return PromptReply{.kind = PromptReply::Kind::kCancel, .answer = {}, .reason = {}};
    return PromptReply{.kind = PromptReply::Kind::kAnswer, .answer = JsonString(inquiry.id.text), .reason = {}};
  }

 private:
  int Begin(const std::string& question) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(asking_.insert(question).second) << question << " is asked twice at once";
    return std::uniform_int_distribution(0, 9)(random_);
  }

  std::mutex mutex_;
  std::mt19937_64 random_;
  std::set<std::string> asking_, closed_;
};

// Several threads ask the same few questions again and again, whatever comes of it.
TEST_F(TurnThreadsTest, InAnyInterleavingNothingIsAskedTwice) {
  constexpr int kRounds = 25, kThreads = 4, kAskings = 12;
  for (int round = 0; round < kRounds; ++round) {
    auto turn = Begin(fmt::format("round {}", round));
    Must(turn->RequestTools(std::vector{Call("a"), Call("b")}));
    FickleUser user(static_cast<std::uint64_t>(round));
    const Responders responders{.user = [&](const InquiryRequest& inquiry, std::string_view) { return user(inquiry); }};
    Run(kThreads, [&](int thread) {
      for (int i = 0; i < kAskings; ++i) {
        const int n = round + thread * 7 + i * 3;
        const InquiryAttempt attempt = Asks(n % 2 == 0 ? "a" : "b", n % 3 == 0 ? "p" : "q", Text());
        try {
          const auto given = Inquire(*turn, attempt, Target{}, responders);
          if (given && given->kind == Resolution::Kind::kAnswered) {
            EXPECT_EQ(given->answer, JsonString(given->inquiry.text)) << "the answer of another attempt";
          }
        } catch (const std::runtime_error&) {  // as FickleUser throws
        }
      }
    });
    const TurnState state = turn->state();
    EXPECT_EQ(Must(LoadTurnState(*log_, c_)), state);
    EXPECT_LE(state.questions().size(), 4U) << "at most one attempt of each question waits";
    for (const InquiryState* open : state.questions()) Must(turn->Answer(open->request.id.text, ByUser(R"("x")")));
    for (const std::string_view call : {"a", "b"}) Must(turn->FinishTool(call, {"done", false, {}}));
    EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
  }
}

TEST_F(TurnThreadsTest, OfManyThreadsThatBeginATurnEachGetsOneOrAConflict) {
  Begin();
  std::atomic<int> begun = 0;
  Run(6, [&](int) {
    const auto turn = TurnRecorder::Begin(*log_, c_, {"go", {}, {}});
    if (turn) {
      ++begun;
      (*turn)->Suspend();
    } else {
      EXPECT_EQ(turn.error().code, ErrorCode::kConflict);
    }
  });
  EXPECT_GE(begun, 1);
  EXPECT_EQ(Must(log_->Info(c_)).turns, static_cast<std::uint64_t>(begun) + 1);
}

}  // namespace
}  // namespace turnlog::turn_threads_test
