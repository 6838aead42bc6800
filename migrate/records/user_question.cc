#include "migrate/records/user_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

// {"name": value}, or nothing.
Json Extra(std::string_view name, std::string_view value) {
  if (!IsJsonString(value)) return {};
  return Json::FromTrusted(fmt::format(R"({{"{}":{}}})", name, value));
}

std::vector<SelectOption> OptionsOf(std::string_view list) {
  std::vector<SelectOption> options;
  for (const std::string_view element : ElementsOf(list)) {
    const JsonObject option = JsonObject::OfValid(element);
    if (!IsJsonString(option["label"])) continue;
    options.push_back({Json::FromTrusted(std::string(option["label"])), option.String("description"),
                       Extra("preview", option["preview"])});
  }
  return options;
}

Question ReadQuestion(const JsonObject& asked) {
  Question question;
  question.text = asked.String("question").value_or("");
  if (question.text.empty()) question.text = asked.String("header").value_or("");
  const bool secret = asked.IsTrue("isSecret");
  if (!secret) question.answer_type.options = OptionsOf(asked["options"]);
  if (secret) {
    question.answer_type.kind = AnswerKind::kSecret;
  } else if (question.answer_type.options.empty()) {
    question.answer_type.kind = AnswerKind::kText;
  } else {
    question.answer_type.kind =
        asked.IsTrue("multiSelect") || asked.IsTrue("multiple") ? AnswerKind::kMultiSelect : AnswerKind::kSelect;
    question.answer_type.other = true;
  }
  question.exclusive = true;
  question.persistence = "none";
  question.extra = Extra("header", asked["header"]);
  return question;
}

}  // namespace

std::optional<InquiryRequest> ReadUserQuestion(std::string_view call, std::string_view question_id,
                                               const JsonObject& asked) {
  auto id = MakeInquiryId(call, question_id, 1);
  if (!id) return std::nullopt;
  InquiryRequest request{.id = *std::move(id),
                         .source = {.kind = SourceKind::kAssistant, .name = {}, .extra = {}},
                         .question = ReadQuestion(asked),
                         .escalated_from = {}};
  Event event;
  event.body = request;
  if (request.question.text.empty() || !Validate(View(event))) return std::nullopt;
  return request;
}

std::vector<InquiryRequest> ReadUserQuestions(std::string_view call, const JsonObject& arguments) {
  std::vector<InquiryRequest> questions;
  for (const std::string_view element : ElementsOf(arguments["questions"])) {
    const JsonObject asked = JsonObject::OfValid(element);
    auto request = ReadUserQuestion(call, fmt::format("q{}", questions.size() + 1), asked);
    if (!request) return {};
    questions.push_back(*std::move(request));
  }
  return questions;
}

bool IsOption(const Question& question, std::string_view text) {
  const std::string token = JsonString(text).text();
  return std::ranges::any_of(question.answer_type.options,
                             [&](const SelectOption& option) { return option.value.text() == token; });
}

InquiryResponse AnsweredInquiry(const InquiryRequest& asked, Json answer, std::optional<std::string> note) {
  InquiryResponse response{.outcome = Outcome::kAnswered, .id = asked.id, .answer = std::move(answer)};
  response.reason = std::move(note);
  response.responder = Responder{.kind = "user", .model = {}, .who = {}, .via = {}, .extra = {}};
  return response;
}

InquiryResponse CancelledInquiry(const InquiryRequest& asked, std::string_view reason, bool by_user) {
  InquiryResponse response{.outcome = Outcome::kCancelled, .id = asked.id, .answer = {}, .reason = std::string(reason)};
  if (by_user) response.responder = Responder{.kind = "user", .model = {}, .who = {}, .via = {}, .extra = {}};
  return response;
}

}  // namespace turnlog
