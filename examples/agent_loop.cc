// A whole turn of an agent: calls with remembered, secret and escalated inquiries, a call that the user denies, a form
// with a branch and a step back. In the middle of the form the process kills itself; another process resumes the turn
// from the log. Usage: agent_loop [FOLDER]
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "turnlog/event_json.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/form.h"
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/turn_recorder.h"
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

// --- Responders. A real agent prompts on a terminal and calls a model; these two follow a script. ---

// Each entry is an answer as JSON, after "remember " if it holds for the turn; the reason of a cancellation; or
// "crash".
Prompter ScriptedUser(std::deque<std::string> script) {
  return [script](const InquiryRequest& inquiry, std::string_view) mutable -> Result<PromptReply> {
    std::string word = script.front();
    script.pop_front();
    std::cout << "  user asked:      " << inquiry.question.text << "  -> "
              << (inquiry.question.answer_type.kind == AnswerKind::kSecret ? "(a secret)" : word) << "\n"
              << std::flush;
    if (word == "crash") kill(getpid(), SIGKILL);
    PromptReply reply;
    reply.remember = word.starts_with("remember ");
    if (reply.remember) word.erase(0, word.find(' ') + 1);
    const auto answer = ParseJson(word);
    reply.kind = answer ? PromptReply::Kind::kAnswer : PromptReply::Kind::kCancel;
    if (answer) reply.answer = *answer;
    if (!answer) reply.reason = word;
    return reply;
  };
}

Result<std::string> CautiousAssistant(const AssistantRequest& request) {
  std::cout << "  assistant asked: " << request.inquiry.question.text << "  -> false\n";
  return R"({"reason": "The tests have not been run.", "answer": false})";
}

// --- A tool with three questions: whether to overwrite, a token, whether to go live. ---

InquiryAttempt MakeAttempt(std::string_view call, std::string_view id, std::string_view text, AnswerKind kind) {
  InquiryAttempt attempt{.tool_call = std::string(call),
                         .question_id = std::string(id),
                         .source = {.kind = SourceKind::kTool, .name = "deploy", .extra = {}},
                         .question = {},
                         .escalated_from = {}};
  attempt.question.text = text;
  attempt.question.answer_type.kind = kind;
  return attempt;
}

bool SaysYes(const Resolution& resolution) { return resolution.answer.text() == "true"; }

void Deploy(TurnRecorder& turn, std::string_view call, const Responders& responders) {
  const Target user;
  const Target careful = OrExit(ParseTarget(R"({"model": {"id": "small-model"}, "escalation": true})"));
  const auto ask = [&](std::string_view id, std::string_view text, AnswerKind kind, const Target& target) {
    return OrExit(Inquire(turn, MakeAttempt(call, id, text, kind), target, responders));
  };
  const bool go = SaysYes(ask("overwrite", "The page exists. Overwrite it?", AnswerKind::kBoolean, user)) &&
                  ask("token", "Token of the host?", AnswerKind::kSecret, user).kind == Resolution::Kind::kAnswered &&
                  SaysYes(ask("live", "Go live?", AnswerKind::kBoolean, careful));
  OrExit(turn.FinishTool(call, {.content = go ? "deployed" : "not deployed", .is_error = !go, .metadata = {}}));
}

// --- The turn ---

constexpr std::string_view kForm = R"({"questions": [
  {"id": "kind", "text": "What shall be announced?", "answer_type": "select", "options": ["release", "outage"]},
  {"id": "version", "text": "Which version?", "when": {"question_id": "kind", "equals": "release"}},
  {"id": "until", "text": "Until when?", "when": {"question_id": "kind", "equals": "outage"}},
  {"id": "mail", "text": "By mail too?", "answer_type": "boolean"}]})";

// Kills the process in the middle of the form.
void PlayUntilTheCrash(Log& log, const ConversationId& conversation) {
  const auto turn = OrExit(TurnRecorder::Begin(log, conversation, {"Deploy the page and announce it.", {}, {}}));
  OrExit(turn->RequestTools(std::vector<ToolCallRequest>{{"call_1", "deploy", Value(R"({"to": "staging"})")},
                                                         {"call_2", "deploy", Value(R"({"to": "production"})")},
                                                         {"call_3", "delete_branch", Value(R"({"name": "old"})")},
                                                         {"call_4", "form", Value(kForm)}}));
  const Responders responders{
      .user = ScriptedUser({"remember true", R"("not-a-real-password")", "true",  // call_1
                            R"("not-a-real-password")", "true",                   // call_2: overwriting is remembered
                            R"("release")", "back", R"("outage")", "crash"}),     // call_4
      .assistant = CautiousAssistant,
      .model = {}};
  Deploy(*turn, "call_1", responders);
  Deploy(*turn, "call_2", responders);
  OrExit(turn->DenyTool("call_3", "I still need it."));
  OrExit(RunForm(*turn, "call_4", responders));
}

void ResumeTurn(Log& log, const ConversationId& conversation) {
  const auto turn = OrExit(TurnRecorder::Resume(log, conversation));
  const TurnState state = turn->state();
  std::cout << "resumed: " << ToString(state.activity()) << "\n";
  for (const InquiryState* question : state.questions()) {
    std::cout << "  waiting:         " << question->request.id.text << "\n";
  }
  const Responders responders{
      .user = ScriptedUser({R"("tomorrow")", "true"}), .assistant = CautiousAssistant, .model = {}};
  std::cout << "form: " << OrExit(RunForm(*turn, "call_4", responders)).content << "\n";
  std::cout << "denials for the model: " << DenialContext(OrExit(UndeliveredDenials(log, conversation))) << "\n";
  OrExit(turn->Respond({ChatPart::kMessage, "The page is live; the outage is announced until tomorrow."}));
  std::cout << "undelivered denials: " << OrExit(UndeliveredDenials(log, conversation)).size() << "\n";
  std::cout << "conversation: " << ToString(turn->state().activity()) << "\n";
}

void PrintInquiries(Log& log, const ConversationId& conversation) {
  const auto cursor = OrExit(log.ReadRaw(conversation, {.last_turns = 1}));
  for (Item item = OrExit(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = OrExit(cursor->Next())) {
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr || record->kind != EventKind::kInquiryResponse) continue;
    EventView event = OrExit(record->Decode());
    event.timestamp.reset();
    std::cout << "  " << ToJson(event) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string store = argc > 1 ? argv[1] : "agent-loop-store";
  const auto conversation = OrExit(ConversationId::Parse("deploy"));

  const pid_t child = fork();
  if (child < 0) return EXIT_FAILURE;
  if (child == 0) {
    PlayUntilTheCrash(*OrExit(OpenLog(store)), conversation);
    std::_Exit(EXIT_FAILURE);  // it did not crash
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return EXIT_FAILURE;
  std::cout << "the process was killed\n";

  const auto log = OrExit(OpenLog(store));
  ResumeTurn(*log, conversation);
  PrintInquiries(*log, conversation);
  return EXIT_SUCCESS;
}
