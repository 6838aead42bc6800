// What holds until the turn is over: answers and permissions.
#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog::remembered_test {
namespace {

using testing::HasSubstr;

class RememberedTest : public InquiryTest {
 protected:
  // The remembered answer; none if there is none.
  static std::optional<Json> Find(const TurnRecorder& turn, const InquiryAttempt& attempt) {
    const auto found = turn.FindRemembered(attempt);
    return found ? std::optional(found->answer) : std::nullopt;
  }
  static std::optional<Permission> Find(const TurnRecorder& turn, const PermissionKey& key) {
    const auto found = turn.FindPermission(key);
    return found ? std::optional(found->permission) : std::nullopt;
  }
};

TEST_F(RememberedTest, ARememberedAnswerHoldsForTheToolUntilTheTurnIsOver) {
  auto turn = Begin();
  Must(turn->RequestTools(std::vector{Call("a"), Call("b"), Call("c", "edit")}));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "q", Boolean()))).text, Remembered("true")));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("metadata":{"remember":"turn"})"));
  EXPECT_EQ(Find(*turn, Asks("b", "q", Boolean())), J("true"));
  EXPECT_EQ(Find(*turn, Asks("b", "other", Boolean())), std::nullopt);
  EXPECT_EQ(Find(*turn, Asks("c", "q", Boolean())), std::nullopt);  // another tool
  EXPECT_EQ(Find(*turn, Asks("b", "q", Text())), std::nullopt);     // it takes no boolean
  EXPECT_EQ(Find(*turn, Asks("b", "q", Secret())), std::nullopt);
  Question again = Boolean();
  again.persistence = "none";
  EXPECT_EQ(Find(*turn, Asks("b", "q", again)), std::nullopt);

  turn = Crash(std::move(turn));
  EXPECT_EQ(Find(*turn, Asks("b", "q", Boolean())), J("true"));

  turn = Begin();
  Must(turn->RequestTool(Call("a")));
  EXPECT_EQ(Find(*turn, Asks("a", "q", Boolean())), std::nullopt);
}

// As other writers have recorded them: ids of calls and inquiries repeat within the turn.
TEST_F(RememberedTest, ARememberedAnswerIsThatOfTheNearestEarlierOpenInquiryOfItsId) {
  const auto call = [](std::string_view id, std::string_view tool) { return Event{.body = Call(id, tool)}; };
  const auto ask = [](const Question& question) {
    return Event{.body = InquiryRequest{Keyed("a", "q", 1), {}, question, {}}};
  };
  const auto answer = [](std::string_view json) {
    return Event{.body = InquiryResponse{Outcome::kAnswered, Keyed("a", "q", 1), J(json), {}, {}},
                 .metadata = J(R"({"remember":"turn"})")};
  };
  Question kept_nowhere = Text();
  kept_nowhere.persistence = "none";
  Must(Append("c", std::vector{Event{}, call("a", "bash"), ask(Boolean()), call("a", "edit"), ask(kept_nowhere),
                               answer(R"("not kept")"), answer("true"), call("b", "bash"), call("c", "edit")}));
  const auto turn = Resume();
  EXPECT_EQ(Find(*turn, Asks("b", "q", Boolean())), J("true"));
  EXPECT_EQ(Find(*turn, Asks("c", "q", Boolean())), std::nullopt);
}

TEST_F(RememberedTest, NothingIsRememberedThatWasNotMeantToBe) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "plain", Boolean()))).text, ByUser("true")));
  EXPECT_EQ(Find(*turn, Asks("a", "plain", Boolean())), std::nullopt);
  Must(turn->Cancel(Must(turn->Ask(Asks("a", "gone", Boolean()))).text, cancellation::kUser));
  EXPECT_EQ(Find(*turn, Asks("a", "gone", Boolean())), std::nullopt);
  Question never = Boolean();
  never.persistence = "none";
  Must(turn->Answer(Must(turn->Ask(Asks("a", "never", never))).text, Remembered("true")));
  EXPECT_EQ(Find(*turn, Asks("a", "never", Boolean())), std::nullopt);
}

TEST_F(RememberedTest, PermissionsAreRememberedApartFromAnswers) {
  auto turn = Begin();
  EXPECT_EQ(Find(*turn, PermissionKey{"bash"}), std::nullopt);
  Must(turn->RememberPermission({"bash"}, Permission::kDeny));
  Must(turn->RememberPermission({"edit"}, Permission::kDeny));
  Must(turn->RememberPermission({"edit"}, Permission::kAllow));
  turn = Crash(std::move(turn));
  EXPECT_EQ(Find(*turn, PermissionKey{"bash"}), Permission::kDeny);
  EXPECT_EQ(Find(*turn, PermissionKey{"edit"}), Permission::kAllow);
  EXPECT_EQ(Find(*Begin(), PermissionKey{"bash"}), std::nullopt);
}

TEST_F(RememberedTest, WhoDecidedAtFirstIsKnown) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const Responder ann{"user", {}, "ann", "page", {}}, model{"assistant", "m-1", {}, {}, {}};
  GivenAnswer answer = Remembered("true");
  answer.responder = ann;
  Must(turn->Answer(Must(turn->Ask(Asks("a", "q", Boolean()))).text, answer));
  Must(turn->RememberPermission({"bash", "00"}, Permission::kAllow, model));
  for (int restarts = 0; restarts < 2; ++restarts) {
    EXPECT_EQ(turn->FindRemembered(Asks("a", "q", Boolean()))->responder, ann);
    EXPECT_EQ(turn->FindPermission({"bash", "00"})->responder, model);
    turn = Crash(std::move(turn));
  }
}

}  // namespace
}  // namespace turnlog::remembered_test
