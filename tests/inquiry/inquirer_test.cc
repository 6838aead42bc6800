#include "turnlog/inquiry/inquirer.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog::inquirer_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InquirerTest : public InquiryTest {
 protected:
  InquirerTest() {
    turn_ = Begin();
    Must(turn_->RequestTools(std::vector{Call("a"), Call("b")}));
  }

  // A user who gives these replies, one after another.
  Prompter User(std::deque<PromptReply> replies) {
    return [this, replies](const InquiryRequest& inquiry, std::string_view problem) mutable -> Result<PromptReply> {
      EXPECT_THAT(Events(*log_).back(), HasSubstr(inquiry.id.text)) << "asked before it was on record";
      prompts_.push_back(PromptText(inquiry.question));
      problems_.emplace_back(problem);
      PromptReply reply = replies.front();
      replies.pop_front();
      return reply;
    };
  }
  static PromptReply Says(std::string_view json, bool remember = false) {
    return {PromptReply::Kind::kAnswer, J(json), remember, {}};
  }
  static PromptReply Cancels(std::string_view reason) {
    return {PromptReply::Kind::kCancel, {}, false, std::string(reason)};
  }

  // An assistant that gives these outputs, one after another.
  Assistant Model(std::deque<std::string> outputs) {
    return [this, outputs](const AssistantRequest& request) mutable -> Result<std::string> {
      EXPECT_THAT(Events(*log_).back(), HasSubstr(request.inquiry.id.text)) << "asked before it was on record";
      rejections_.push_back(request.rejection);
      std::string output = outputs.front();
      outputs.pop_front();
      return output;
    };
  }
  static Prompter NoUser() {
    return [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
      ADD_FAILURE() << "the user was asked";
      return PromptReply{};
    };
  }
  static Assistant NoModel() {
    return [](const AssistantRequest&) -> Result<std::string> {
      ADD_FAILURE() << "the assistant was asked";
      return "";
    };
  }

  Resolution Inquire(const InquiryAttempt& attempt, std::string_view target, const Responders& responders) {
    return Must(turnlog::Inquire(*turn_, attempt, Must(ParseTarget(target)), responders));
  }
  // "KIND ANSWER-OR-REASON RESPONDER"
  static std::string Brief(const Resolution& resolution) {
    if (resolution.kind == Resolution::Kind::kWaiting) return "waiting";
    if (resolution.kind == Resolution::Kind::kCancelled) return "cancelled " + resolution.reason;
    return "answered " + resolution.answer.text() + " " + resolution.responder.kind;
  }
  // What the log has of inquiries: "ID asked [from ID]", "ID OUTCOME ANSWER-OR-REASON RESPONDER".
  std::vector<std::string> Recorded() {
    std::vector<std::string> lines;
    const auto cursor = Must(log_->ReadRaw(c_));
    Must(WalkEvents(*cursor, [&](const Record&, const EventView& view) {
      const Event event = Own(view);
      if (const auto* request = std::get_if<InquiryRequest>(&event.body)) {
        lines.push_back(request->id.text + " asked" +
                        (request->escalated_from ? " from " + *request->escalated_from : ""));
      } else if (const auto* response = std::get_if<InquiryResponse>(&event.body)) {
        lines.push_back(response->id.text + " " + response->answer.text() + response->reason.value_or("") +
                        (response->outcome == Outcome::kRedacted ? "redacted" : "") +
                        (response->responder ? " " + response->responder->kind : ""));
      }
      return Result<Walk>(Walk::kOn);
    }));
    return lines;
  }

  std::unique_ptr<TurnRecorder> turn_;
  std::vector<std::string> prompts_, problems_, rejections_;
};

TEST_F(InquirerTest, APromptLeavesAPair) {
  EXPECT_EQ(
      Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("true")}), .assistant = NoModel()})),
      "answered true user");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 true user"));
}

TEST_F(InquirerTest, AnAnswerThatDoesNotFitIsAskedForAgainWithTheReason) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("7"), Says("false")})})),
            "answered false user");
  EXPECT_THAT(problems_, ElementsAre("", "answer: must be of type boolean"));
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 false user"));
}

TEST_F(InquirerTest, APromptThatIsCancelledLeavesAPairAndOneThatFailsAQuestionThatWaits) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Cancels("")})})), "cancelled user");
  const Responders broken{.user = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    return std::unexpected(Error{ErrorCode::kIo, "no terminal", {}});
  }};
  EXPECT_EQ(MessageOf(turnlog::Inquire(*turn_, Asks("a", "q", Boolean()), Target{}, broken)), "no terminal");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 user user", "a.q.2 asked"));
  turn_.reset();
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.2");
}

TEST_F(InquirerTest, AnAnswerGivenForTheTurnIsNotAskedForAgainAndLeavesAPair) {
  Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("true", true)})});
  EXPECT_EQ(Brief(Inquire(Asks("b", "q", Boolean()), R"("user")", {.user = NoUser()})), "answered true remembered");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 true user", "b.q.1 asked", "b.q.1 true remembered"));
}

TEST_F(InquirerTest, AStaticAnswerLeavesAPairIfItFitsOrNot) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"({"answer":false})", {.user = NoUser()})),
            "answered false static");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"({"answer":"no"})", {.user = NoUser()})),
            "cancelled invalid_static_answer");
  EXPECT_THAT(Recorded(),
              ElementsAre("a.q.1 asked", "a.q.1 false static", "a.q.2 asked", "a.q.2 invalid_static_answer"));
}

TEST_F(InquirerTest, TheAssistantsAnswerCarriesItsModelAndReason) {
  const Resolution resolution =
      Inquire(Asks("a", "q", Select({"x", "y"})), R"({"model":{"id":"small"}})",
              {.user = NoUser(), .assistant = Model({R"({"reason":"it is shorter","answer":"y"})"}), .model = "big"});
  EXPECT_EQ(Brief(resolution), R"(answered "y" assistant)");
  EXPECT_EQ(resolution.responder.model, "small");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", R"(a.q.1 "y"it is shorter assistant)"));
}

TEST_F(InquirerTest, AnAssistantThatAnswersWronglyIsToldWhyAndTriedAgain) {
  const auto right = R"({"reason":"r","answer":true})";
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant")", {.assistant = Model({"hm", right})})),
            "answered true assistant");
  EXPECT_THAT(rejections_, ElementsAre("", HasSubstr("Your answer was not accepted: JSON: byte 0")));
  EXPECT_EQ(Brief(Inquire(Asks("b", "q", Boolean()), R"("assistant")", {.assistant = Model({"hm", "hm", right})})),
            "cancelled backend_error");
}

TEST_F(InquirerTest, AnAssistantThatIsNotThereOrFailsLeavesAPair) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant")", {.user = NoUser()})), "cancelled backend_error");
  const Responders broken{.assistant = [](const AssistantRequest&) -> Result<std::string> {
    return std::unexpected(Error{ErrorCode::kIo, "no network", {}});
  }};
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant")", broken)), "cancelled backend_error");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 backend_error", "a.q.2 asked", "a.q.2 backend_error"));
}

TEST_F(InquirerTest, WithEscalationANoOfTheAssistantGoesToTheUserAsTheNextAttempt) {
  EXPECT_EQ(
      Brief(Inquire(Asks("a", "q", Boolean("Apply?")), R"("assistant_with_escalation")",
                    {.user = User({Says("true")}), .assistant = Model({R"({"reason":"too\nrisky","answer":false})"})})),
      "answered true user");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 falsetoo\nrisky assistant", "a.q.2 asked from a.q.1",
                                      "a.q.2 true user"));
  EXPECT_THAT(prompts_, ElementsAre("The assistant recommended to say no:\n\"too risky\"\n\nApply?"));
}

TEST_F(InquirerTest, WithEscalationAYesOfTheAssistantAndANoToOtherQuestionsStand) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")",
                          {.user = NoUser(), .assistant = Model({R"({"reason":"r","answer":true})"})})),
            "answered true assistant");
  EXPECT_EQ(Brief(Inquire(Asks("a", "s", BySchema(R"({"type":"boolean"})")), R"("assistant_with_escalation")",
                          {.user = NoUser(), .assistant = Model({R"({"reason":"r","answer":false})"})})),
            "answered false assistant");
}

TEST_F(InquirerTest, UnattendedTheAssistantsRejectionStandsUnlessThereIsADefaultToBeUsed) {
  const std::string no = R"({"reason":"r","answer":false})";
  Question question = Boolean();
  question.default_value = J("true");
  const auto ask = [&](std::string_view id, const Question& asked, DetachedPolicy policy) {
    return Brief(Inquire(Asks("a", id, asked), R"("assistant_with_escalation")",
                         {.assistant = Model({no}), .detached = policy}));
  };
  EXPECT_EQ(ask("deny", question, DetachedPolicy::kDeny), "answered false assistant");
  EXPECT_EQ(ask("auto", question, DetachedPolicy::kAuto), "answered false assistant");
  EXPECT_EQ(ask("none", Boolean(), DetachedPolicy::kDefaults), "answered false assistant");
  EXPECT_EQ(ask("defaults", question, DetachedPolicy::kDefaults), "answered true policy");
  EXPECT_THAT(Recorded(), testing::IsSupersetOf({"a.defaults.1 falser assistant",
                                                 "a.defaults.2 asked from a.defaults.1", "a.defaults.2 true policy"}));
}

TEST_F(InquirerTest, ASecretIsAskedOfThePersonOnlyAndRecordedAsRedacted) {
  const Resolution resolution =
      Inquire(Asks("a", "key", Secret()), R"("user")", {.user = User({Says(R"("hunter2")", true)})});
  EXPECT_EQ(Brief(resolution), R"(answered "hunter2" user)");
  EXPECT_EQ(Brief(Inquire(Asks("b", "key", Secret()), R"("user")", {.user = User({Says(R"("other")")})})),
            R"(answered "other" user)");
  EXPECT_EQ(Brief(Inquire(Asks("a", "k2", Secret()), R"("assistant")", {.user = NoUser(), .assistant = NoModel()})),
            "cancelled assistant_routing_denied");
  EXPECT_EQ(Brief(Inquire(Asks("a", "k3", Secret()), R"("user")",
                          {.assistant = NoModel(), .detached = DetachedPolicy::kAuto})),
            "cancelled no_prompt_backend");
  EXPECT_EQ(Brief(Inquire(Asks("a", "k4", Secret()), R"({"answer":"from-the-configuration","question":"k4"})", {})),
            R"(answered "from-the-configuration" static)");
  EXPECT_THAT(Recorded(),
              ElementsAre("a.key.1 asked", "a.key.1 redacted user", "b.key.1 asked", "b.key.1 redacted user",
                          "a.k2.1 asked", "a.k2.1 assistant_routing_denied", "a.k3.1 asked", "a.k3.1 no_prompt_backend",
                          "a.k4.1 asked", "a.k4.1 redacted static"));
}

TEST_F(InquirerTest, ASecretIsInNoFileOfTheStore) {
  Inquire(Asks("a", "key", Secret()), R"("user")", {.user = User({Says(R"("tr0ub4dor&3-unheard-of")", true)})});
  turn_.reset();
  Close();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(bytes.find("tr0ub4dor"), std::string::npos) << entry.path();
  }
  EXPECT_GE(files, 3U);
}

TEST_F(InquirerTest, UnattendedTheDefaultIsUsedOnlyIfItFits) {
  Question question = Boolean();
  question.default_value = J(R"("maybe")");
  const Responders nobody{.detached = DetachedPolicy::kDefaults};
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", question), R"("user")", nobody)), "cancelled no_prompt_backend");
  question.default_value = J("false");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", question), R"("user")", nobody)), "answered false policy");
}

TEST_F(InquirerTest, AQuestionThatIsPutOffWaitsAndIsTakenUpAgainWithoutAskingAnew) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({PromptReply{}})})), "waiting");
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Doing(turn_->state()), "awaiting_user calls: a,b questions: a.q.1");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("true")})})),
            "answered true user");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 true user"));
}

TEST_F(InquirerTest, AnEscalationThatWaitsIsTakenUpAgainWithTheUser) {
  const Responders later{.user = User({PromptReply{}}), .assistant = Model({R"({"reason":"r","answer":false})"})};
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")", later)), "waiting");
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")",
                          {.user = User({Says("true")}), .assistant = NoModel()})),
            "answered true user");
  EXPECT_THAT(Recorded(),
              ElementsAre("a.q.1 asked", "a.q.1 falser assistant", "a.q.2 asked from a.q.1", "a.q.2 true user"));
}

TEST_F(InquirerTest, AnEscalationThatWaitsEndsAsTheAssistantsRejectionWhenNoUserIsPresentAnyMore) {
  const Responders later{.user = User({PromptReply{}}), .assistant = Model({R"({"reason":"r","answer":false})"})};
  Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")", later);
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")", {.assistant = NoModel()})),
            "answered false assistant");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 falser assistant", "a.q.2 asked from a.q.1",
                                      "a.q.2 no_prompt_backend"));
}

TEST_F(InquirerTest, AnEscalationThatACrashPreventedFollowsAfterwards) {
  const InquiryId id = Must(turn_->Ask(Asks("a", "q", Boolean())));
  Must(turn_->Answer(id.text, ByAssistant("false", "r")));
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")",
                          {.user = User({Says("true")}), .assistant = NoModel()})),
            "answered true user");
  EXPECT_THAT(Recorded(),
              ElementsAre("a.q.1 asked", "a.q.1 falser assistant", "a.q.2 asked from a.q.1", "a.q.2 true user"));
}

TEST_F(InquirerTest, AQuestionOfACallThatIsNotOpenIsNotAsked) {
  EXPECT_EQ(CodeOf(turnlog::Inquire(*turn_, Asks("z", "q", Boolean()), Target{}, {.user = NoUser()})), "not found");
}

TEST_F(InquirerTest, AQuestionThatBecameASecretIsNotTakenUpAsTheTextThatItWas) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Text("Token?")), R"("user")", {.user = User({PromptReply{}})})), "waiting");
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Secret("Token?")), R"("user")", {.user = User({Says(R"("hunter2")")})})),
            R"(answered "hunter2" user)");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 superseded", "a.q.2 asked", "a.q.2 redacted user"));
}

TEST_F(InquirerTest, AQuestionOfAnotherTextOrOtherOptionsIsAskedAnew) {
  const auto defer = [&](const Question& question) {
    EXPECT_EQ(Brief(Inquire(Asks("a", "q", question), R"("user")", {.user = User({PromptReply{}})})), "waiting");
  };
  defer(Boolean("Delete a?"));
  defer(Boolean("Delete b?"));
  defer(Select({"x", "y"}));
  defer(Select({"x", "z"}));
  Question other = Select({"x", "z"});
  other.context = "the same question with another context";
  defer(other);
  EXPECT_EQ(Doing(), "awaiting_user calls: a,b questions: a.q.4");
}

TEST_F(InquirerTest, WhatIsRememberedOrOnRecordAnswersTheSameQuestionOnly) {
  Inquire(Asks("a", "q", Boolean("Delete a?")), R"("user")", {.user = User({Says("true", true)})});
  EXPECT_EQ(Brief(Inquire(Asks("b", "q", Boolean("Delete b?")), R"("user")", {.user = User({Says("false")})})),
            "answered false user");
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean("Delete c?")), R"("user")", {.user = User({Says("false")})})),
            "answered false user");
}

TEST_F(InquirerTest, AToolThatRunsAgainAfterACrashGetsWhatWasAnsweredInTheOrderInWhichItAsks) {
  const Responders user{.user = User({Says("true"), Says("false"), Cancels("user")})};
  for (int i = 0; i < 3; ++i) Inquire(Asks("a", "q", Boolean()), R"("user")", user);
  Inquire(Asks("a", "name", Text()), R"("user")", {.user = User({Says(R"("me")")})});
  turn_ = Crash(std::move(turn_));
  const std::size_t events = Events(*log_).size();
  const Responders nobody{.user = NoUser()};
  EXPECT_EQ(Brief(Inquire(Asks("a", "name", Text()), R"("user")", nobody)), R"(answered "me" user)");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", nobody)), "answered true user");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", nobody)), "answered false user");
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", nobody)), "cancelled user");
  EXPECT_EQ(Events(*log_).size(), events);
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("true")})})),
            "answered true user");
}

TEST_F(InquirerTest, WhatTheSystemCancelledAndSecretsAreAskedAgainAfterACrash) {
  Inquire(Asks("a", "q", Boolean()), R"("user")", {});
  Inquire(Asks("a", "key", Secret()), R"("user")", {.user = User({Says(R"("hunter2")")})});
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Says("true")})})),
            "answered true user");
  EXPECT_EQ(Brief(Inquire(Asks("a", "key", Secret()), R"("user")", {.user = User({Says(R"("hunter2")")})})),
            R"(answered "hunter2" user)");
}

TEST_F(InquirerTest, AnEscalationThatWasAnsweredIsHandedOnAsOneAnswer) {
  const Responders both{.user = User({Says("true")}), .assistant = Model({R"({"reason":"r","answer":false})"})};
  Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")", both);
  turn_ = Crash(std::move(turn_));
  const Responders nobody{.user = NoUser(), .assistant = NoModel()};
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("assistant_with_escalation")", nobody)), "answered true user");
}

TEST_F(InquirerTest, AnswersComeBackAsTheOptionsValues) {
  Question question = Select({});
  question.answer_type.options = {{J("1"), {}, {}}, {J(R"("a")"), {}, {}}};
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", question), R"("user")", {.user = User({Says("1.0")})})), "answered 1 user");
  question.answer_type.kind = AnswerKind::kMultiSelect;
  EXPECT_EQ(Brief(Inquire(Asks("b", "q", question), R"("user")", {.user = User({Says(R"(["\u0061", 1e0])")})})),
            R"(answered ["a",1] user)");
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 1 user", "b.q.1 asked", R"(b.q.1 ["a",1] user)"));
}

TEST_F(InquirerTest, AUsersNoteNameAndWayAreOnRecordAndReachTheTool) {
  PromptReply reply = Says("true");
  reply.note = "only today";
  const Resolution resolution =
      Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({reply}), .who = "ann", .via = "terminal"});
  EXPECT_EQ(resolution.note, "only today");
  EXPECT_EQ(resolution.responder, (Responder{"user", {}, "ann", "terminal", {}}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("answer":true,"reason":"only today","responder":{"kind":"user",)"
                                              R"("who":"ann","via":"terminal"}})"));
}

TEST_F(InquirerTest, AStaticAnswerToASecretMustHaveBeenGivenForThisQuestion) {
  const auto ask = [&](std::string_view id, std::string_view target) {
    return Brief(Inquire(Asks("a", id, Secret()), target, {.user = NoUser()}));
  };
  EXPECT_EQ(ask("k1", R"({"answer":"s3cret"})"), "cancelled invalid_static_answer");
  EXPECT_EQ(ask("k2", R"({"answer":"s3cret","question":"k1"})"), "cancelled invalid_static_answer");
  EXPECT_EQ(ask("k3", R"({"answer":"s3cret","question":"k3"})"), R"(answered "s3cret" static)");
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("outcome":"redacted","id":"a.k3.1","key")"));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("responder":{"kind":"static"})"));
  EXPECT_THAT(Events(*log_), testing::Not(testing::Contains(HasSubstr("s3cret"))));
}

TEST_F(InquirerTest, WhatCannotBeAskedIsRefused) {
  const auto ask = [&](const Question& question) { return CodeOf(turn_->Ask(Asks("a", "q", question))); };
  EXPECT_EQ(ask(Boolean("")), "invalid argument");
  EXPECT_EQ(ask(Boolean(" \n")), "invalid argument");
  EXPECT_EQ(ask(Select({})), "invalid argument");
  EXPECT_EQ(ask(Multi({})), "invalid argument");
  EXPECT_EQ(ask(BySchema(R"({"type":"objekt"})")), "invalid argument");
  Question secret = Secret();
  secret.default_value = J(R"("hunter2")");
  EXPECT_EQ(ask(secret), "invalid argument");
  EXPECT_THAT(Recorded(), testing::IsEmpty());
}

TEST_F(InquirerTest, ThereIsNoWayBackFromAQuestionOutsideOfForms) {
  EXPECT_EQ(Brief(Inquire(Asks("a", "q", Boolean()), R"("user")", {.user = User({Cancels("back"), Says("true")})})),
            "answered true user");
  EXPECT_THAT(problems_, ElementsAre("", "there is no earlier question"));
}

TEST_F(InquirerTest, APrompterThatThrowsLeavesAClosedPairWhenTheRecorderGoes) {
  const Responders throws{.user = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    throw std::runtime_error("broken");
  }};
  EXPECT_THROW(Inquire(Asks("a", "q", Boolean()), R"("user")", throws), std::runtime_error);
  turn_.reset();
  EXPECT_THAT(Recorded(), ElementsAre("a.q.1 asked", "a.q.1 interrupted"));
}

}  // namespace
}  // namespace turnlog::inquirer_test
