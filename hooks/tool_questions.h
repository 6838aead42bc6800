// The tools by which agents ask their users: AskUserQuestion of Claude Code, request_user_input of Codex.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hooks/hook_reply.h"
#include "turnlog/event.h"
#include "turnlog/hooks/agent_hook.h"
#include "turnlog/json.h"

namespace turnlog {

bool IsQuestionTool(AgentTool tool, std::string_view name);

// As they are recorded; none if the arguments have another form, or two questions the same text. A question without
// options is one for a text.
std::optional<std::vector<Question>> ReadToolQuestions(const Json& arguments);

// Whether they are calls with the same questions, or, if they have none, with the same arguments.
bool AskTheSame(const Json& left, const Json& right);

// What a call's result says that the user has answered to the question; none if it says nothing of it.
std::optional<Json> FindAnswer(const Json& response, const Question& question);

// What the questions of a call have come to: all are closed.
HookDecision DecideQuestions(AgentTool tool, const Json& arguments, std::span<const Question> questions,
                             std::span<const InquiryResponse> responses);

}  // namespace turnlog
