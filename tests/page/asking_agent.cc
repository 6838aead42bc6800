// An agent of its own process, which asks and waits until someone answers.
// Usage: asking_agent STORE CONVERSATION ask QUESTION | approve ARGUMENTS | form ARGUMENTS
// QUESTION is the `question` of an inquiry_request, ARGUMENTS are those of a call. What came of it is printed as a
// line.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "turnlog/event_json.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/open_log.h"
#include "turnlog/service/wait_for_answer.h"

namespace turnlog {
namespace {

template <class T>
T OrExit(Result<T> result) {
  if (!result) {
    std::cerr << "asking_agent: " << result.error().message << "\n";
    std::_Exit(EXIT_FAILURE);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

Result<PromptReply> LeaveWaiting(const InquiryRequest&, std::string_view) { return PromptReply{}; }

Question ParseQuestion(const std::string& json) {
  const Event event = OrExit(ParseEvent(
      R"({"type":"inquiry_request","id":"q","source":{"source":"tool","name":"t"},"question":)" + json + "}"));
  return std::get<InquiryRequest>(event.body).question;
}

class AskingAgent {
 public:
  AskingAgent(Log& log, const ConversationId& conversation, const Json& arguments, const std::string& tool)
      : log_(log),
        conversation_(conversation),
        turn_(OrExit(TurnRecorder::Begin(log, conversation, {"Deploy it.", {}, {}}))) {
    OrExit(turn_->RequestTool({kCall, tool, arguments}));
  }

  // The answer, or why there is none.
  std::string Ask(const Question& question) {
    const InquiryAttempt attempt{kCall, "q", {SourceKind::kTool, "deploy", {}}, question, {}};
    Resolution resolution = OrExit(Inquire(*turn_, attempt, {}, responders_));
    while (resolution.kind == Resolution::Kind::kWaiting) {
      const WaitedAnswer waited = Wait(resolution.inquiry.text, question.answer_type.kind == AnswerKind::kSecret);
      if (waited.secret) return "secret " + *waited.secret;
      resolution = OrExit(Inquire(*turn_, attempt, {}, responders_));
    }
    if (resolution.kind == Resolution::Kind::kCancelled) return "cancelled " + resolution.reason;
    return resolution.answer.text() + Beside(resolution.note) + " by " + resolution.responder.who.value_or("?") +
           " via " + resolution.responder.via.value_or("?");
  }

  std::string WaitForLeave() {
    Approval approval = OrExit(Approve(*turn_, kCall, responders_));
    while (approval.kind == Approval::Kind::kWaiting) {
      (void)Wait(approval.inquiry.text, false);
      approval = OrExit(Approve(*turn_, kCall, responders_));
    }
    if (approval.kind == Approval::Kind::kApproved) return "approved";
    if (approval.kind == Approval::Kind::kEdited) return "edited " + approval.arguments.text();
    return approval.kind == Approval::Kind::kDenied ? "denied " + approval.reason : "cancelled " + approval.reason;
  }

  std::string FillIn() {
    for (;;) {
      const FormOutcome outcome = OrExit(AskUser(*turn_, kCall, responders_));
      if (outcome.kind != FormOutcome::Kind::kWaits) return outcome.content;
      const TurnState state = turn_->state();
      (void)Wait(state.questions().front()->request.id.text, false);
    }
  }

  void Finish(const std::string& result) {
    if (turn_->CheckOpen(kCall))
      OrExit(turn_->FinishTool(kCall, {.content = result, .is_error = false, .metadata = {}}));
    OrExit(turn_->Respond({ChatPart::kMessage, "The agent has gone on."}));
  }

 private:
  static constexpr const char* kCall = "call";

  static std::string Beside(const std::optional<std::string>& note) { return note ? " (" + *note + ")" : ""; }

  WaitedAnswer Wait(const std::string& inquiry, bool secret) {
    std::cout << "waiting\n" << std::flush;
    WaitedAnswer waited = OrExit(
        WaitForAnswer(log_, conversation_, inquiry, {.timeout = std::chrono::minutes(5), .takes_secret = secret}));
    OrExit(turn_->Refresh());
    return waited;
  }

  Log& log_;
  const ConversationId conversation_;
  const std::unique_ptr<TurnRecorder> turn_;
  const Responders responders_{.user = LeaveWaiting};
};

int Run(const std::string& store, const std::string& conversation, const std::string& what, const std::string& json) {
  const auto log = OrExit(OpenLog(store));
  const bool asks = what == "ask";
  const Json arguments = asks ? OrExit(ParseJson(R"({"to":"production"})")) : OrExit(ParseJson(json));
  AskingAgent agent(*log, OrExit(ConversationId::Parse(conversation)), arguments,
                    what == "form" ? "ask_user" : "deploy");
  const std::string result = asks                ? agent.Ask(ParseQuestion(json))
                             : what == "approve" ? agent.WaitForLeave()
                                                 : agent.FillIn();
  agent.Finish(asks && result.starts_with("secret ") ? "given" : result);
  std::cout << result << "\n";
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace turnlog

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return turnlog::Run(argv[1], argv[2], argv[3], argv[4]);
}
