#include "migrate/claude_code/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "migrate/claude_code/denial.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// {"name": value}, or nothing.
Json Extra(std::string_view name, std::string_view value) {
  if (!IsJsonString(value)) return {};
  return Json::FromTrusted(fmt::format(R"({{"{}":{}}})", name, value));
}

std::vector<SelectOption> ReadOptions(std::string_view list) {
  std::vector<SelectOption> options;
  for (const std::string_view element : ElementsOf(list)) {
    const JsonObject option = JsonObject::Parse(element).value_or(JsonObject());
    if (!IsJsonString(option["label"])) continue;
    options.push_back({Json::FromTrusted(std::string(option["label"])), option.String("description"),
                       Extra("preview", option["preview"])});
  }
  return options;
}

Question ReadQuestion(const JsonObject& asked) {
  Question question;
  question.text = asked.String("question").value_or("");
  question.answer_type.kind = asked.IsTrue("multiSelect") ? AnswerKind::kMultiSelect : AnswerKind::kSelect;
  question.answer_type.options = ReadOptions(asked["options"]);
  question.answer_type.other = true;
  question.exclusive = true;
  question.persistence = "none";
  question.extra = Extra("header", asked["header"]);
  return question;
}

bool IsOption(const Question& question, std::string_view text) {
  const std::string token = JsonString(text).text();
  return std::ranges::any_of(question.answer_type.options,
                             [&](const SelectOption& option) { return option.value.text() == token; });
}

// The labels of an answer to a multiple choice, which Claude Code joins by commas; the whole text if it is another one.
Json ReadChoices(const Question& question, std::string_view text) {
  std::string list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(", "), rest.size());
    const std::string_view choice = rest.substr(0, comma);
    if (!IsOption(question, choice)) return Json::FromTrusted(fmt::format("[{}]", JsonString(text).text()));
    list += fmt::format("{}{}", list.empty() ? "" : ",", JsonString(choice).text());
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return Json::FromTrusted(fmt::format("[{}]", list));
}

Json ToAnswer(const Question& question, std::string_view text) {
  return question.answer_type.kind == AnswerKind::kMultiSelect ? ReadChoices(question, text) : JsonString(text);
}

// From a text such as: ... answered ...: "Q1"="A1", "Q2"="A2". You can now ...
// Neither is escaped in it, but the questions are known.
std::optional<std::string> AnswerInText(std::string_view question, const std::vector<InquiryRequest>& all,
                                        std::string_view text) {
  const auto find = [&](std::string_view asked, std::size_t from) {
    return text.find(fmt::format("\"{}\"=\"", asked), from);
  };
  const std::size_t found = find(question, 0);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t begin = found + question.size() + 4;
  std::size_t end = std::string_view::npos;
  for (const InquiryRequest& other : all) end = std::min(end, find(other.question.text, begin));
  const std::size_t quote = text.rfind('"', end == std::string_view::npos ? end : end - 1);
  if (quote == std::string_view::npos || quote < begin) return std::nullopt;
  return std::string(text.substr(begin, quote - begin));
}

Responder User() { return {.kind = "user", .model = {}, .who = {}, .via = {}, .extra = {}}; }

InquiryResponse Cancelled(const InquiryId& id, std::string_view reason, bool by_user) {
  InquiryResponse response{.outcome = Outcome::kCancelled, .id = id, .answer = {}, .reason = std::string(reason)};
  if (by_user) response.responder = User();
  return response;
}

}  // namespace

std::vector<InquiryRequest> ReadClaudeQuestions(std::string_view call, const JsonObject& arguments) {
  std::vector<InquiryRequest> requests;
  std::size_t number = 0;
  for (const std::string_view element : ElementsOf(arguments["questions"])) {
    auto id = MakeInquiryId(call, fmt::format("q{}", ++number), 1);
    const auto asked = JsonObject::Parse(element);
    if (!id || !asked) continue;
    InquiryRequest request{.id = *std::move(id),
                           .source = {.kind = SourceKind::kAssistant, .name = {}, .extra = {}},
                           .question = ReadQuestion(*asked),
                           .escalated_from = {}};
    Event event;
    event.body = request;
    if (Validate(View(event))) requests.push_back(std::move(request));
  }
  return requests;
}

InquiryResponse ReadClaudeAnswer(const InquiryRequest& asked, const std::vector<InquiryRequest>& all,
                                 const JsonObject& result, std::string_view text, const Denial* denial, bool is_error) {
  const Question& question = asked.question;
  if (denial != nullptr) return Cancelled(asked.id, AsksForClarification(*denial) ? "reply" : "user", true);
  if (is_error) return Cancelled(asked.id, "backend_error", false);
  auto answer = result.Object("answers").String(question.text);
  if (!answer) answer = AnswerInText(question.text, all, text);
  if (!answer) return Cancelled(asked.id, "unspecified", false);
  InquiryResponse response{.outcome = Outcome::kAnswered, .id = asked.id, .answer = ToAnswer(question, *answer)};
  response.responder = User();
  response.reason = result.Object("annotations").Object(question.text).String("notes");
  return response;
}

}  // namespace turnlog
