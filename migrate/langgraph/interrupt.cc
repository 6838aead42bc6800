#include "migrate/langgraph/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "migrate/langgraph/message.h"
#include "migrate/records/approval.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// The text of what a graph asks: any value.
std::string QuestionIn(std::string_view value) {
  if (IsJsonString(value)) return UnescapeJson(value);
  const JsonObject object = JsonObject::Parse(value).value_or(JsonObject());
  for (const char* name : {"question", "message", "query", "description", "prompt"}) {
    if (auto text = object.String(name)) return *std::move(text);
  }
  return std::string(value);
}

// The only element of a list; empty if there are more, or none.
JsonObject OnlyOf(std::string_view list) {
  const auto elements = ElementsOf(list);
  return elements.size() == 1 ? JsonObject::Parse(elements.front()).value_or(JsonObject()) : JsonObject();
}

// Whether a person may only answer in place of the tool, so that this is a question of it.
bool IsToRespond(const JsonObject& review) {
  const auto allowed = ElementsOf(review["allowed_decisions"]);
  return !allowed.empty() &&
         std::ranges::all_of(allowed, [](std::string_view decision) { return decision == R"("respond")"; });
}

struct Asked {
  std::string text;
  std::optional<std::string> action;  // that a person is to review
};

Asked ReadAsked(std::string_view value) {
  const JsonObject object = JsonObject::Parse(value).value_or(JsonObject());
  const JsonObject action = OnlyOf(object["action_requests"]);
  const auto name = action["name"].empty() ? action.String("action") : action.String("name");
  if (!name) return {QuestionIn(value), std::nullopt};
  if (!IsToRespond(OnlyOf(object["review_configs"]))) return {{}, name};
  const std::string_view given = action["args"];
  std::string text = QuestionIn(given);
  return {text == given ? QuestionIn(action.text()) : std::move(text), std::nullopt};
}

// What was answered: the message of one who responds, or any value.
std::string_view AnswerIn(std::string_view answer) {
  const JsonObject decision = OnlyOf(JsonObject::Parse(answer).value_or(JsonObject())["decisions"]);
  const bool responds = decision["type"] == R"("respond")" && IsJsonString(decision["message"]);
  return responds ? decision["message"] : answer;
}

std::optional<InquiryRequest> ReadInterrupt(std::string_view text, const std::string& task, std::size_t number) {
  const auto fields = ReadPythonObject(text, "Interrupt");
  const JsonObject interrupt = fields ? *fields : JsonObject::Parse(text).value_or(JsonObject());
  const std::string_view value = interrupt["value"];
  if (value.empty()) return std::nullopt;
  const std::string id = interrupt.String("id").value_or(fmt::format("{}-{}", task, number));
  Asked asked = ReadAsked(value);
  if (asked.action) return AskForApproval(id, *asked.action);
  auto name = MakeInquiryId(id, "interrupt", 1);
  if (!name) return std::nullopt;
  InquiryRequest request{.id = *std::move(name), .source = {.kind = SourceKind::kOther, .name = "langgraph"}};
  request.question.text = std::move(asked.text);
  request.question.answer_type.kind = AnswerKind::kSchema;
  request.question.answer_type.schema = Json::FromTrusted("{}");
  Event event;
  event.body = request;
  return Validate(View(event)) ? std::optional(std::move(request)) : std::nullopt;
}

}  // namespace

std::optional<InquiryRequest> OfAttempt(InquiryRequest asked, std::uint32_t attempt) {
  auto id = MakeInquiryId(asked.id.key->tool_call, asked.id.key->question, attempt);
  if (!id) return std::nullopt;
  asked.id = *std::move(id);
  return asked;
}

std::vector<InquiryRequest> ReadInterrupts(std::string_view value, std::string_view task, std::uint32_t attempt) {
  std::vector<std::string_view> texts = ElementsOf(value);
  if (!value.starts_with('[')) texts = {value};
  std::vector<InquiryRequest> requests;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto request = ReadInterrupt(texts[i], std::string(task), i);
    if (request) request = OfAttempt(*std::move(request), attempt);
    if (request) requests.push_back(*std::move(request));
  }
  return requests;
}

InquiryResponse AnswerInterrupt(const InquiryRequest& asked, std::string_view answer) {
  if (asked.question.answer_type.kind != AnswerKind::kBoolean) {
    return AnsweredInquiry(asked, Json::FromTrusted(std::string(AnswerIn(answer))), std::nullopt);
  }
  const auto decisions = ElementsOf(JsonObject::Parse(answer).value_or(JsonObject())["decisions"]);
  const JsonObject decision = JsonObject::Parse(decisions.empty() ? answer : decisions.front()).value_or(JsonObject());
  const std::string type = decision.String("type").value_or("");
  if (type.empty()) return CancelledInquiry(asked, "unspecified", true);
  if (type == "respond" || type == "response") return CancelledInquiry(asked, "reply", true);
  return ApprovalAnswer(asked, type != "reject" && type != "ignore", decision.String("message"));
}

std::optional<Denial> ReadRejection(std::string_view result, std::string_view tool) {
  const std::string begin = fmt::format("User rejected the tool call for `{}`", tool);
  if (tool.empty() || !result.starts_with(begin)) return std::nullopt;
  result.remove_prefix(begin.size());
  constexpr std::string_view kReason = " with reason: ";
  if (result.starts_with(kReason)) return DeniedByUser(std::string(result.substr(kReason.size())));
  return result.empty() || result.starts_with(" with id ") ? std::optional(DeniedByUser(std::nullopt)) : std::nullopt;
}

void InterruptedTasks::Add(const TaskWrite& write) {
  const bool resume = write.channel == "__resume__";
  if (write.task == kNullTask && resume) return Resume();
  Task& task = tasks_[std::string(write.task)];
  if (write.channel == "__interrupt__") {
    task.resumed_before_list = task.resumed_after_list = false;
  } else if (resume) {
    task.answers = write.answers;
  } else if (write.index >= 0 && !task.done) {
    task.done = write.index;
  }
}

void InterruptedTasks::Resume() {
  for (auto& [id, task] : tasks_) {
    if (task.done) continue;
    (task.answers == 0 ? task.resumed_before_list : task.resumed_after_list) = true;
  }
}

// The list is written with the question, and then has the answers before it; or when the task is done, and then has its
// answer, too, unless there was a list already, which stays. A done task has written each answer that it used before
// its results: their index is how many those were.
std::size_t InterruptedTasks::AskedBefore(std::string_view id) const {
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second.answers == 0) return 0;
  const Task& task = found->second;
  const bool has_own =
      task.resumed_before_list || (!task.resumed_after_list && task.done && std::cmp_equal(*task.done, task.answers));
  return has_own ? task.answers - 1 : task.answers;
}

}  // namespace turnlog
