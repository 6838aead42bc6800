// The tool `ask_user_question`, by which a model asks its user. The call's arguments:
//   {"questions": [{"question", "header", "options": [{"label", "description", "preview"}], "multiSelect"}, ...]}
// One to four questions with different texts, two to four options with different labels each, headers of at most 12
// characters. All are asked at once; while they wait, other calls of the message run. Any text is an answer as well as
// an option. The result is {"answers": {question: label or text, or an array of them}, "notes": {question: note}};
// "declined" lists the questions that the user did not answer.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/submission.h"
#include "turnlog/inquiry/tool_definition.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

extern const ToolDefinition kAskUserQuestionTool;

// As they are recorded: selects of labels, for a person only, with the header in `extra` and previews in those of the
// options.
std::expected<std::vector<Question>, std::vector<SubmissionProblem>> ParseUserQuestions(const Json& arguments);

enum class AgentKind : std::uint8_t { kMain, kSubAgent };

// Asks, or takes up what is waiting already. Wrong arguments, and sub-agents, get an error result; then nothing is
// given back. kNotFound: there is no such call. kConflict: it has its result already.
Result<std::vector<InquiryId>> AskUserQuestion(TurnRecorder& recorder, std::string_view call, AgentKind agent);

// The same where a user is present: prompts for what waits, one question after another, and records the result. False:
// a question goes on waiting. Errors: also of the prompter, whose question waits then.
Result<bool> AskUserQuestion(TurnRecorder& recorder, std::string_view call, AgentKind agent,
                             const Responders& responders);

struct QuestionAnswer {
  Json answer;
  std::string note = {};  // beside it; the model gets to know it
};

// Answers all that wait, by question text, and records the result, in one append. kInvalidArgument: one is missing, too
// many, or does not fit; nothing is recorded. kNotFound, kConflict: as AskUserQuestion.
Status AnswerUserQuestion(TurnRecorder& recorder, std::string_view call,
                          const std::map<std::string, QuestionAnswer>& answers, const Responder& user);
// The user does not answer what waits; the agent goes on without.
Status DeclineUserQuestion(TurnRecorder& recorder, std::string_view call, const Responder& user);
// The user wants none of it: the result is the error "User cancelled the question", and the turn is over.
Status CancelUserQuestion(TurnRecorder& recorder, std::string_view call, const Responder& user);

// If the questions were closed one by one, perhaps by others: records the result that follows from it, unless who
// answered has recorded it. False: there is still one that waits. kNotFound: there is no such call.
Result<bool> SettleUserQuestion(TurnRecorder& recorder, std::string_view call);

}  // namespace turnlog
