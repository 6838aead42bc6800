// A whole agent: a loop over a model's messages, tools that ask, approvals, a form, and a death in the middle. Nothing
// is kept but the log: the second process runs the same loop from what the first one had recorded.
// Usage: agent_loop [FOLDER [resume]]   with `resume`, only what the second process does
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "turnlog/event_json.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/messages.h"
#include "turnlog/inquiry/prompt_text.h"
#include "turnlog/open_log.h"

using namespace turnlog;

namespace {

template <class T>
T OrExit(Result<T> result) {
  if (!result) {
    std::cerr << "agent_loop: " << result.error().message << "\n";
    std::_Exit(EXIT_FAILURE);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

Json Value(std::string_view json) { return OrExit(ParseJson(json)); }

// --- Who answers. A real agent prompts on a terminal and calls a model; these two follow a script. ---

// What the user does when asked, by question: an answer as JSON, or the reason of a cancellation.
const std::map<std::string, std::string> kUser{{"Run delete_branch?", "false"},
                                               {"Run deploy?", "true"},
                                               {"Token of the host?", R"("not-a-real-password")"},
                                               {"Go live?", "true"},
                                               {"What happened?", R"("outage")"},
                                               {"By mail too?", "true"},
                                               {"Until when?", R"("tomorrow")"}};

// `dies_at`: the question in front of which the process kills itself.
Prompter ScriptedUser(std::string dies_at) {
  return [dies_at = std::move(dies_at)](const InquiryRequest& inquiry, std::string_view) -> Result<PromptReply> {
    const std::string& question = inquiry.question.text;
    std::cout << "  user asked: " << PromptText(inquiry.question) << "\n" << std::flush;
    if (question == dies_at) kill(getpid(), SIGKILL);
    PromptReply reply{.kind = PromptReply::Kind::kAnswer, .answer = Value(kUser.at(question)), .reason = {}};
    if (reply.answer.text() == "false") reply.note = "I still need it.";
    return reply;
  };
}

Result<std::string> CautiousAssistant(const AssistantRequest&) {
  return R"({"reason": "The tests have not been run.", "answer": false})";
}

// What the model would say to these messages: two calls and a form, then a sentence.
struct Spoken {
  std::vector<ToolCallRequest> calls;
  std::string text;
};

Spoken CallModel(const std::vector<PromptMessage>& messages, const std::string& denials) {
  if (!denials.empty()) std::cout << "the model is told: " << denials << "\n";
  if (messages.back().role == PromptMessage::Role::kTools) return {{}, "The page is live, and the outage announced."};
  return {{{"call_1", "deploy", Value(R"({"to": "production"})")},
           {"call_2", "delete_branch", Value(R"({"name": "old"})")},
           {"call_3", "ask_user", Value(R"({"questions": [
             {"id": "kind", "text": "What happened?", "answer_type": "select", "options": ["release", "outage"]},
             {"id": "until", "text": "Until when?", "when": {"question_id": "kind", "equals": "outage"}},
             {"id": "mail", "text": "By mail too?", "answer_type": "boolean"}]})")}},
          ""};
}

// --- Tools. One that runs again after a crash asks the same questions, and gets what was answered. ---

Resolution Ask(TurnRecorder& turn, std::string_view call, std::string_view id, std::string_view text, AnswerKind kind,
               std::string_view target, const Responders& responders) {
  InquiryAttempt attempt{.tool_call = std::string(call),
                         .question_id = std::string(id),
                         .source = {.kind = SourceKind::kTool, .name = "deploy", .extra = {}},
                         .question = {},
                         .escalated_from = {}};
  attempt.question.text = text;
  attempt.question.answer_type.kind = kind;
  return OrExit(Inquire(turn, attempt, OrExit(ParseTarget(target)), responders));
}

void RunTool(TurnRecorder& turn, const ToolCallRequest& call, const Responders& responders) {
  if (call.name == kAskUserTool.name) {
    std::cout << "form: " << OrExit(AskUser(turn, call.id, responders)).content << "\n";
    return;
  }
  if (OrExit(Approve(turn, call.id, responders)).kind != Approval::Kind::kApproved) return;
  const bool has_token =
      Ask(turn, call.id, "token", "Token of the host?", AnswerKind::kSecret, R"("user")", responders).kind ==
      Resolution::Kind::kAnswered;
  const Resolution live = Ask(turn, call.id, "live", "Go live?", AnswerKind::kBoolean,
                              R"({"model": {"id": "small-model"}, "escalation": true})", responders);
  const bool go = has_token && live.answer.text() == "true";
  OrExit(turn.FinishTool(call.id, {.content = go ? "deployed" : "not deployed", .is_error = !go, .metadata = {}}));
}

// --- The loop: whatever the log says is next, until nothing is. ---

void Run(Log& log, const ConversationId& conversation, const Responders& responders, bool begin) {
  const auto turn =
      OrExit(begin ? TurnRecorder::Begin(log, conversation, {"Deploy the page, and announce what happened.", {}, {}})
                   : TurnRecorder::Resume(log, conversation));
  for (TurnState state = turn->state(); state.activity() != Activity::kIdle; state = turn->state()) {
    std::cout << "conversation: " << ToString(state.activity()) << "\n";
    for (const OpenCall* call : state.calls()) RunTool(*turn, call->request, responders);
    if (!state.calls().empty()) continue;
    const std::string denials = DenialContext(OrExit(UndeliveredDenials(log, conversation)));
    turn->StartMessage();
    const Spoken spoken = CallModel(OrExit(ReadMessages(log, conversation)), denials);
    if (!spoken.calls.empty()) OrExit(turn->RequestTools(spoken.calls));
    if (!spoken.text.empty()) OrExit(turn->Respond({ChatPart::kMessage, spoken.text}));
  }
  std::cout << "conversation: idle\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string store = argc > 1 ? argv[1] : "agent-loop-store";
  const bool resumes = argc > 2 && std::string_view(argv[2]) == "resume";
  const auto conversation = OrExit(ConversationId::Parse("deploy"));
  if (const pid_t child = resumes ? 1 : fork(); child == 0) {
    const Responders responders{.user = ScriptedUser("Until when?"), .assistant = CautiousAssistant, .model = {}};
    Run(*OrExit(OpenLog(store)), conversation, responders, true);
  } else {
    int status = 0;
    if (!resumes && (child < 0 || waitpid(child, &status, 0) < 0 || !WIFSIGNALED(status))) return EXIT_FAILURE;
    if (!resumes) std::cout << "the process was killed\n";
    const Responders responders{.user = ScriptedUser(""), .assistant = CautiousAssistant, .model = {}};
    Run(*OrExit(OpenLog(store)), conversation, responders, false);
  }
  return EXIT_SUCCESS;
}
