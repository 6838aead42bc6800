#include "tests/inquiry/inquiry_fixture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

Question Of(AnswerKind kind, std::string_view text) {
  Question question;
  question.text = text;
  question.answer_type.kind = kind;
  return question;
}

void AddOptions(Question& question, const std::vector<std::string>& values) {
  for (const std::string& value : values) question.answer_type.options.push_back({JsonString(value), {}, {}});
}

}  // namespace

Question Boolean(std::string_view text) { return Of(AnswerKind::kBoolean, text); }
Question Text(std::string_view text) { return Of(AnswerKind::kText, text); }
Question Secret(std::string_view text) { return Of(AnswerKind::kSecret, text); }

Question Select(const std::vector<std::string>& values) {
  Question question = Of(AnswerKind::kSelect, "Which?");
  AddOptions(question, values);
  return question;
}

Question Multi(const std::vector<std::string>& values) {
  Question question = Of(AnswerKind::kMultiSelect, "Which ones?");
  AddOptions(question, values);
  return question;
}

Question BySchema(std::string_view schema) {
  Question question = Of(AnswerKind::kSchema, "Which settings?");
  question.answer_type.schema = J(schema);
  return question;
}

InquiryAttempt Asks(std::string_view call, std::string_view question_id, Question question) {
  return {.tool_call = std::string(call),
          .question_id = std::string(question_id),
          .source = {SourceKind::kTool, "bash", {}},
          .question = std::move(question),
          .escalated_from = {}};
}

ToolCallRequest Call(std::string_view id, std::string_view tool, std::string_view arguments) {
  return {std::string(id), std::string(tool), J(arguments)};
}

GivenAnswer ByUser(std::string_view json) {
  return {.answer = J(json), .responder = {"user", {}, {}, {}, {}}, .reason = {}, .remember = false};
}

GivenAnswer Remembered(std::string_view json) {
  GivenAnswer answer = ByUser(json);
  answer.remember = true;
  return answer;
}

GivenAnswer ByAssistant(std::string_view json, std::string_view reason) {
  return {
      .answer = J(json), .responder = {"assistant", "m", {}, {}, {}}, .reason = std::string(reason), .remember = false};
}

std::vector<std::string> Events(Log& log, std::string_view conversation) {
  std::vector<std::string> events;
  const auto cursor = Must(log.ReadRaw(Id(conversation)));
  Must(WalkEvents(*cursor, [&](const Record&, EventView event) {
    event.timestamp.reset();
    events.push_back(ToJson(event));
    return Result<Walk>(Walk::kOn);
  }));
  return events;
}

std::vector<std::string> InquiryTest::Last(std::size_t count) {
  const auto events = Events(*log_);
  return {events.end() - static_cast<std::ptrdiff_t>(std::min(count, events.size())), events.end()};
}

std::string InquiryTest::Doing(const TurnState& state) {
  std::vector<std::string> calls, questions;
  for (const OpenCall* call : state.calls()) calls.push_back(call->request.id);
  for (const InquiryState* exchange : state.questions()) questions.push_back(exchange->request.id.text);
  return fmt::format("{} calls: {} questions: {}", ToString(state.activity()), fmt::join(calls, ","),
                     fmt::join(questions, ","));
}

}  // namespace turnlog
