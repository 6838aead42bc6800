// Random interleavings of calls, questions, answers, cancellations, new turns and crashes against a simple model. At
// every step the log alone tells the same as the recorder and the model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <random>
#include <set>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog::recorder_model_test {
namespace {

constexpr std::string_view kSecretText = "never-on-disk";

// What a turn is, said as simply as possible.
struct Model {
  struct Inquiry {
    std::string id, call, question;
    bool open = true;
  };

  std::vector<std::string> calls;  // open ones
  std::set<std::string> called, denied;
  std::vector<Inquiry> inquiries;
  std::map<std::string, int> attempts;
  bool due = true;

  bool IsOpen(const std::string& call) const { return std::ranges::find(calls, call) != calls.end(); }
  bool Waits(const std::string& call) const {
    return std::ranges::any_of(inquiries, [&](const Inquiry& inquiry) { return inquiry.open && inquiry.call == call; });
  }
  std::string Doing() const {
    std::vector<std::string> open;
    for (const Inquiry& inquiry : inquiries) {
      if (inquiry.open) open.push_back(inquiry.id);
    }
    const char* activity = !open.empty()    ? "awaiting_user"
                           : !calls.empty() ? "running_tools"
                           : due            ? "calling_model"
                                            : "idle";
    return fmt::format("{} calls: {} questions: {}", activity, fmt::join(calls, ","), fmt::join(open, ","));
  }
};

class RecorderModelTest : public InquiryTest, public testing::WithParamInterface<unsigned> {
 protected:
  static void SetUpTestSuite() { InquiryTest::SetUpTestSuite(); }

  unsigned Random(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_); }
  std::string AnyCall() { return std::string(1, static_cast<char>('a' + Random(3))); }

  void Step() {
    switch (Random(20)) {
      case 0:
        return NewTurn();
      case 1:
        return Expect(recorder_->Respond({ChatPart::kMessage, "so"}), "fine", [&] { model_.due = false; });
      case 2:
      case 3:
      case 4:
        return CallTool(AnyCall());
      case 5:
      case 6:
        return FinishTool(AnyCall());
      case 7:
        return DenyTool(AnyCall());
      case 8:
        return Restart();
      case 9:
      case 10:
      case 11:
      case 12:
        return Ask(AnyCall(), Random(3));
      default:
        return Close();
    }
  }

  template <class T, class Then>
  void Expect(const Result<T>& result, std::string_view code, Then then) {
    EXPECT_EQ(CodeOf(result), code) << MessageOf(result);
    if (code == "fine") then();
  }

  void NewTurn() {
    if (Random(2) == 0) recorder_->Suspend();
    recorder_ = Begin();
    model_ = {};
  }

  void CallTool(const std::string& call) {
    Expect(recorder_->RequestTool(Call(call)), model_.IsOpen(call) ? "invalid argument" : "fine", [&] {
      model_.calls.push_back(call);
      model_.called.insert(call);
    });
  }

  std::string_view Finishable(const std::string& call) const {
    if (!model_.IsOpen(call)) return model_.called.contains(call) ? "conflict" : "not found";
    return model_.Waits(call) ? "invalid argument" : "fine";
  }

  void FinishTool(const std::string& call) {
    Expect(recorder_->FinishTool(call, {"done", Random(2) == 0, {}}), Finishable(call), [&] { Finished(call); });
  }
  void DenyTool(const std::string& call) {
    const bool again = !model_.IsOpen(call) && model_.denied.contains(call);
    Expect(recorder_->DenyTool(call, "no"), again ? "fine" : Finishable(call), [&] {
      if (again) return;
      Finished(call);
      model_.denied.insert(call);
    });
  }
  void Finished(const std::string& call) {
    std::erase(model_.calls, call);
    model_.denied.erase(call);
    model_.due = true;
  }

  static Question QuestionOf(unsigned kind) { return kind == 0 ? Boolean() : kind == 1 ? turnlog::Text() : Secret(); }

  void Ask(const std::string& call, unsigned kind) {
    const std::string question = fmt::format("q{}", kind);
    const auto id = recorder_->Ask(Asks(call, question, QuestionOf(kind)));
    Expect(id, model_.IsOpen(call) ? "fine" : Finishable(call), [&] {
      const std::string expected = fmt::format("{}.{}.{}", call, question, ++model_.attempts[call + question]);
      EXPECT_EQ(id->text, expected);
      model_.inquiries.push_back({expected, call, question});
    });
  }

  // Answers or cancels any inquiry of this turn, closed ones too, with any kind of answer.
  void Close() {
    if (model_.inquiries.empty()) return;
    Model::Inquiry& inquiry = model_.inquiries[Random(static_cast<unsigned>(model_.inquiries.size()))];
    const bool boolean = Random(2) == 0;
    const bool fits = boolean == (inquiry.question == "q0");
    GivenAnswer answer = ByUser(boolean ? "true" : fmt::format(R"("{}")", kSecretText));
    if (inquiry.question == "q1" && !boolean) answer.answer = J(R"("text")");
    const bool cancel = Random(3) == 0;
    const Status closed =
        cancel ? recorder_->Cancel(inquiry.id, cancellation::kUser) : recorder_->Answer(inquiry.id, answer);
    Expect(closed,
           !inquiry.open    ? "conflict"
           : cancel || fits ? "fine"
                            : "invalid argument",
           [&] { inquiry.open = false; });
  }

  // The process dies, or is only asked to make room.
  void Restart() {
    if (Random(4) == 0) {
      recorder_ = Crash(std::move(recorder_));
    } else {
      recorder_->Suspend();
      recorder_ = Resume();
    }
  }

  void Check() {
    const TurnState live = recorder_->state();
    EXPECT_EQ(Doing(live), model_.Doing());
    EXPECT_EQ(Must(LoadTurnState(*log_, c_)), live);
  }

  std::mt19937 random_{GetParam()};
  std::unique_ptr<TurnRecorder> recorder_;
  Model model_;
};

TEST_P(RecorderModelTest, TheLogTheRecorderAndTheModelTellTheSameAtEveryStep) {
  recorder_ = Begin();
  for (int step = 0; step < 250 && !HasFailure(); ++step) {
    Step();
    Check();
  }
  EXPECT_THAT(Events(*log_), testing::Not(testing::Contains(testing::HasSubstr(kSecretText))));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecorderModelTest, testing::Range(1U, 21U));

}  // namespace
}  // namespace turnlog::recorder_model_test
