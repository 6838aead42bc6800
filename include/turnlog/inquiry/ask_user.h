// The tool `ask_user_question`, by which a model asks its user. The call's arguments:
//   {"questions": [{"question", "header", "options": [{"label", "description"}], "multiSelect"}, ...]}
// One to four questions with different texts, two to four options with different labels each, headers of at most 12
// characters. All are asked at once; while they wait, other calls of the message run. The result is one object: the
// answers (labels), by question text.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/inquiry/submission.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

// As they are recorded: selects of labels, for a person only, with the header in `extra`.
std::expected<std::vector<Question>, std::vector<SubmissionProblem>> ParseUserQuestions(const Json& arguments);

enum class AgentKind : std::uint8_t { kMain, kSubAgent };

// Asks, or takes up what is waiting already. Wrong arguments, and sub-agents, get an error result; then nothing is
// given back. kNotFound: there is no such open call.
Result<std::vector<InquiryId>> AskUser(TurnRecorder& recorder, std::string_view call, AgentKind agent);

// Answers all that wait, by question text, and records the result, in one append. kInvalidArgument: one is missing, too
// many, or does not fit; nothing is recorded. kNotFound: the call is not open: it was answered before, or is too late.
Status AnswerUser(TurnRecorder& recorder, std::string_view call, const std::map<std::string, Json>& answers);
// The user does not answer: the result is the error "User cancelled the question".
Status CancelUser(TurnRecorder& recorder, std::string_view call);

// If the questions were answered one by one, perhaps by others: records the result that follows from it. False: there
// is still one that waits.
Result<bool> SettleUser(TurnRecorder& recorder, std::string_view call);

}  // namespace turnlog
