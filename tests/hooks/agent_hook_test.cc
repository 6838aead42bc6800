// What a tool wants to be permitted, and what is recorded of its session.
#include <algorithm>
#include <functional>
#include <utility>

#include "log/forwarding_log.h"
#include "tests/hooks/hook_fixture.h"

namespace turnlog::agent_hook_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kCommand = R"("tool_name":"Bash","tool_input":{"command":"rm -rf build"})";
constexpr std::string_view kAllowed =
    R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}})";

class AgentHookTest : public HookTest {};

// Something happens just before a question is closed.
class LogBesideAnswers : public ForwardingLog {
 public:
  LogBesideAnswers(std::unique_ptr<Log> log, std::function<void()> before)
      : ForwardingLog(*log), owned_(std::move(log)), before_(std::move(before)) {}

  using ForwardingLog::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    Look(events);
    return ForwardingLog::Append(conversation, events, options);
  }
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    Look(events);
    return ForwardingLog::AppendLater(conversation, events, options);
  }

 private:
  void Look(std::span<const EventView> events) {
    const auto closes = [](const EventView& event) { return event.kind() == EventKind::kInquiryResponse; };
    if (std::ranges::any_of(events, closes)) std::exchange(before_, [] {})();
  }

  const std::unique_ptr<Log> owned_;
  std::function<void()> before_;
};

TEST_F(AgentHookTest, APermissionIsAskedForWithTheExactArguments) {
  auto hook = Start("PermissionRequest", kCommand);
  const auto ids = AwaitPending(1);
  EXPECT_THAT(Recorded(), HasSubstr(R"("context":"{\"command\":\"rm -rf build\"}")"));
  EXPECT_EQ(Answer(R"({"answer":true})").status, 200);
  EXPECT_EQ(hook.Reply(), kAllowed);
}

TEST_F(AgentHookTest, ADenialGoesBackWithItsReasonAndIsTheResultOfTheCall) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  Answer(R"({"answer":false,"note":"keep \"it\"","who":"ann","via":"page"})");
  EXPECT_THAT(hook.Reply(),
              HasSubstr(R"("decision":{"behavior":"deny","message":"The user denied this call: keep \"it\""})"));
  EXPECT_THAT(Recorded(),
              HasSubstr(R"("denied":{"reason":"keep \"it\"","responder":{"kind":"user","who":"ann","via":"page"})"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"calling_model")"));
}

TEST_F(AgentHookTest, EditedArgumentsRunInPlaceOfThoseOfTheCall) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  EXPECT_EQ(Answer(R"({"arguments":{"command":"rm -rf build/tmp"}})").status, 200);
  EXPECT_EQ(hook.Reply(),
            R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",)"
            R"("updatedInput":{"command":"rm -rf build/tmp"}}}})");
  const std::string ran = R"("tool_name":"Bash","tool_input":{"command":"rm -rf build/tmp"},"tool_response":"gone")";
  EXPECT_THAT(Must(Send("PostToolUse", ran)), IsEmpty());
  EXPECT_THAT(Recorded(), HasSubstr(R"("content":"gone","is_error":false)"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"calling_model")"));
}

TEST_F(AgentHookTest, ToAToolThatTakesNoOtherArgumentsTheyAreToldAndACallWithThemRuns) {
  tool_ = AgentTool::kCodex;
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  EXPECT_EQ(Answer(R"({"arguments":{ "command": "rm -rf build/tmp" }})").status, 200);
  EXPECT_THAT(hook.Reply(),
              AllOf(HasSubstr(R"("behavior":"deny")"), HasSubstr(R"({\"command\":\"rm -rf build/tmp\"})")));
  EXPECT_EQ(Must(Send("PermissionRequest", R"("tool_name":"Bash","tool_input":{"command":"rm -rf build/tmp"})")),
            kAllowed);
  auto again = Start("PermissionRequest", kCommand);  // the call as it was made is still not allowed
  AwaitPending(1);
}

TEST_F(AgentHookTest, ACancellationEndsTheTurnOfTheToolThatCan) {
  for (const auto& [tool, interrupts] : {std::pair(AgentTool::kClaudeCode, true), {AgentTool::kCodex, false}}) {
    tool_ = tool;
    auto hook = Start("PermissionRequest", kCommand);
    AwaitPending(1);
    EXPECT_EQ(Post("/v1/conversations/s%2Flive/cancel", "{}").status, 200);
    const std::string reply = hook.Reply();
    EXPECT_THAT(reply, HasSubstr(R"("behavior":"deny")"));
    EXPECT_EQ(reply.contains("interrupt"), interrupts) << reply;
  }
}

TEST_F(AgentHookTest, APermissionThatIsRememberedHoldsForTheSameArgumentsOnly) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  Answer(R"({"answer":true,"remember":true})");
  EXPECT_EQ(hook.Reply(), kAllowed);
  EXPECT_EQ(Must(Send("PermissionRequest", kCommand)), kAllowed);
  auto other = Start("PermissionRequest", R"("tool_name":"Bash","tool_input":{"command":"rm -rf /"})");
  AwaitPending(1);
  Answer(R"({"answer":false})");
  EXPECT_THAT(other.Reply(), HasSubstr(R"("behavior":"deny")"));
  Must(Send("UserPromptSubmit", R"("prompt":"next")"));
  auto again = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  Answer(R"({"answer":true})");
  EXPECT_EQ(again.Reply(), kAllowed);
}

TEST_F(AgentHookTest, HooksOfOneSessionAskBesideEachOther) {
  auto one = Start("PermissionRequest", R"("tool_name":"Bash","tool_input":{"command":"one"})");
  auto two = Start("PermissionRequest", R"("tool_name":"Bash","tool_input":{"command":"two"})");
  auto three = Start("PermissionRequest", R"("tool_name":"Bash","tool_input":{"command":"three"})");
  for (const std::string& id : AwaitPending(3)) {
    EXPECT_EQ(Answer(fmt::format(R"({{"inquiry":"{}","answer":true}})", id)).status, 200);
  }
  for (auto* hook : {&one, &two, &three}) EXPECT_EQ(hook->Reply(), kAllowed);
}

TEST_F(AgentHookTest, AnAnswerAtTheTerminalClosesTheQuestion) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  const std::string ran = std::string(kCommand) + R"(,"tool_use_id":"toolu_1","tool_response":{"stdout":"gone"})";
  EXPECT_THAT(Must(Send("PostToolUse", ran)), IsEmpty());
  EXPECT_THAT(hook.Reply(), IsEmpty());  // it has been decided elsewhere, perhaps for another call
  EXPECT_THAT(Recorded(), AllOf(HasSubstr(R"("answer":true,"responder":{"kind":"user","via":"hook"})"),
                                HasSubstr(R"("content":"{\"stdout\":\"gone\"}","is_error":false)")));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"calling_model")"));
}

TEST_F(AgentHookTest, AYesToOneCallIsNoneToAnotherThatIsTheSame) {
  auto first = Start("PermissionRequest", kCommand);
  const std::string waits = AwaitPending(1).front();
  auto second = Start("PermissionRequest", kCommand);
  auto both = AwaitPending(2);
  const std::string allowed = both.front() == waits ? both.back() : both.front();
  Answer(fmt::format(R"({{"inquiry":"{}","answer":true}})", allowed));
  EXPECT_EQ(second.Reply(), kAllowed);
  Must(Send("PostToolUse", std::string(kCommand) + R"(,"tool_use_id":"toolu_1","tool_response":"gone")"));
  EXPECT_THAT(AwaitPending(1), ElementsAre(waits));
  Answer(R"({"answer":false})");
  EXPECT_THAT(first.Reply(), HasSubstr("deny"));
}

TEST_F(AgentHookTest, AYesIsForOneRequestWhateverIdItHas) {
  const std::string request = std::string(kCommand) + R"(,"tool_use_id":"toolu_1")";
  auto first = Start("PermissionRequest", request);
  AwaitPending(1);
  Answer(R"({"answer":true})");
  EXPECT_EQ(first.Reply(), kAllowed);
  auto second = Start("PermissionRequest", request);
  AwaitPending(1);
  Answer(R"({"answer":false})");
  EXPECT_THAT(second.Reply(), HasSubstr("deny"));
}

TEST_F(AgentHookTest, TheResultOfAnotherCallClosesNothing) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  Must(Send("PostToolUse", R"("tool_name":"Bash","tool_input":{"command":"rm -rf /"},"tool_response":"gone")"));
  Must(Send("PostToolUse", R"("tool_name":"Read","tool_input":{"command":"rm -rf build"},"tool_response":"x")"));
  EXPECT_EQ(AwaitPending(1).size(), 1U);
  Answer(R"({"answer":true})");
  EXPECT_EQ(hook.Reply(), kAllowed);
}

TEST_F(AgentHookTest, WithoutAnAnswerTheToolAsksItself) {
  timeout_ = std::chrono::milliseconds(1);
  EXPECT_THAT(Must(Send("PermissionRequest", kCommand)), IsEmpty());
  EXPECT_THAT(Recorded(), HasSubstr(R"("outcome":"cancelled")"));
  EXPECT_THAT(Recorded(), HasSubstr(R"("reason":"expired")"));
}

TEST_F(AgentHookTest, WithoutAnAnswerTheCallIsRefusedIfThatIsWanted) {
  timeout_ = std::chrono::milliseconds(1);
  on_timeout_ = AgentHookOptions::OnTimeout::kDeny;
  EXPECT_THAT(Must(Send("PermissionRequest", kCommand)), HasSubstr(R"("behavior":"deny")"));
  EXPECT_THAT(Recorded(), HasSubstr(R"("type":"tool_call_response")"));
}

TEST_F(AgentHookTest, AnAnswerThatComesWhenTheTimeIsOverCounts) {
  for (const bool deny : {false, true}) {
    timeout_ = std::chrono::milliseconds(1);
    on_timeout_ = deny ? AgentHookOptions::OnTimeout::kDeny : AgentHookOptions::OnTimeout::kAsk;
    AgentHookOptions options = Options();
    int answered = 0;
    options.open = [&, open = options.open] {
      auto log =
          std::make_unique<LogBesideAnswers>(Must(open()), [&] { answered = Answer(R"({"answer":true})").status; });
      return Result<std::unique_ptr<Log>>(std::move(log));
    };
    EXPECT_EQ(Must(AgentHook(options).Handle(EventOf("PermissionRequest", kCommand))), kAllowed);
    EXPECT_EQ(answered, 200);
  }
  EXPECT_THAT(Recorded(), Not(HasSubstr("expired")));
}

TEST_F(AgentHookTest, WithoutAServiceTheToolGoesOnAsWithoutAHook) {
  Stop();
  EXPECT_THAT(Must(Send("PermissionRequest", kCommand)), IsEmpty());
  EXPECT_THAT(Must(Send("Stop")), IsEmpty());
}

TEST_F(AgentHookTest, WaitsAcrossARestartOfTheService) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  Restart();
  EXPECT_EQ(Answer(R"({"answer":true})").status, 200);
  EXPECT_EQ(hook.Reply(), kAllowed);
}

TEST_F(AgentHookTest, AHookThatIsEndedClosesItsQuestionAndDecidesNothing) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  hook.hook().Abandon();
  EXPECT_THAT(hook.Reply(), IsEmpty());
  EXPECT_THAT(Recorded(), HasSubstr(R"("reason":"interrupted")"));
}

TEST_F(AgentHookTest, TheNextPromptClosesWhatTheToolHasForgotten) {
  auto hook = Start("PermissionRequest", kCommand);
  AwaitPending(1);
  EXPECT_THAT(Must(Send("UserPromptSubmit", R"("prompt":"something else")")), IsEmpty());
  EXPECT_THAT(hook.Reply(), IsEmpty());
  EXPECT_THAT(Recorded(), HasSubstr(R"("reason":"superseded")"));
}

TEST_F(AgentHookTest, ASessionIsRecordedAsATurn) {
  Must(Send("SessionStart", R"("source":"startup","model":"m")"));
  Must(Send("UserPromptSubmit", R"("prompt":"Go on")"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"calling_model")"));
  Must(Send("Stop", R"("last_assistant_message":"All done.")"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"idle")"));
  EXPECT_THAT(Recorded(),
              AllOf(HasSubstr(R"("delta":{"agent":"claude-code","session":"s","folder":"/home/ann/p","model":"m"})"),
                    HasSubstr(R"("content":"Go on")"), HasSubstr(R"("message":"All done.")")));
}

TEST_F(AgentHookTest, AFailureOfTheProviderIsAFailureOfTheTurn) {
  Must(Send("UserPromptSubmit", R"("prompt":"Go on")"));
  Must(Send("StopFailure", R"("error":"rate_limit","last_assistant_message":"API Error: Rate limit reached")"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"idle")"));
  EXPECT_THAT(Recorded(), HasSubstr(R"("message":"API Error: Rate limit reached","metadata":{"failed":true})"));
  Must(Send("UserPromptSubmit", R"("prompt":"Again")"));
  Must(Send("StopFailure", R"("error":"rate_limit")"));
  EXPECT_THAT(Recorded(), HasSubstr(R"("message":"rate_limit")"));
}

TEST_F(AgentHookTest, NotificationsOfAnIdleToolAndTheEndOfASessionEndTheTurn) {
  for (const auto& [name, fields] :
       {std::pair("Notification", R"("notification_type":"idle_prompt")"), {"SessionEnd", R"("reason":"other")"}}) {
    Must(Send("UserPromptSubmit", R"("prompt":"Go on")"));
    Must(Send(name, fields));
    EXPECT_THAT(State(), HasSubstr(R"("activity":"idle")")) << name;
  }
  Must(Send("UserPromptSubmit", R"("prompt":"Go on")"));
  Must(Send("Notification", R"("notification_type":"permission_prompt")"));
  EXPECT_THAT(State(), HasSubstr(R"("activity":"calling_model")"));
}

TEST_F(AgentHookTest, EventsThatAreNotForAskingWriteNothing) {
  EXPECT_THAT(Must(Send("PreToolUse", kCommand)), IsEmpty());
  EXPECT_THAT(Must(Send("PreCompact")), IsEmpty());
  EXPECT_THAT(Must(Send("PostToolUse", kCommand)), IsEmpty());
  EXPECT_THAT(Must(Send("Stop")), IsEmpty());
  EXPECT_THAT(Must(log_->List("", 1)), IsEmpty());
}

TEST_F(AgentHookTest, WhatIsNoEventIsRefusedAndNotQuoted) {
  for (const char* input :
       {"", "not-quoted", "[]", R"({"session_id":"not-quoted"})", R"({"hook_event_name":"Stop"})"}) {
    const auto reply = AgentHook(Options()).Handle(input);
    EXPECT_EQ(CodeOf(reply), "invalid argument") << input;
    EXPECT_THAT(reply.error().message, Not(HasSubstr("not-quoted")));
  }
  EXPECT_EQ(CodeOf(AgentHook(Options()).Handle(R"({"session_id":"a\u0000b","hook_event_name":"Stop"})")),
            "invalid argument");
}

}  // namespace
}  // namespace turnlog::agent_hook_test
