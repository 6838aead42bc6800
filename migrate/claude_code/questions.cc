#include "migrate/claude_code/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kBetweenLabels = ", ";

// The longest label that the text begins with, because labels may have commas themselves; empty: none.
std::string FirstLabel(const Question& question, std::string_view text) {
  std::string first;
  for (const SelectOption& option : question.answer_type.options) {
    std::string label = UnescapeJson(option.value.text());
    if (label.size() <= first.size() || !text.starts_with(label)) continue;
    const std::string_view rest = text.substr(label.size());
    if (rest.empty() || rest.starts_with(kBetweenLabels)) first = std::move(label);
  }
  return first;
}

// The labels of an answer to a multiple choice, which Claude Code joins by commas; the whole text if it is another one.
Json ReadChoices(const Question& question, std::string_view text) {
  std::string list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string choice = FirstLabel(question, rest);
    if (choice.empty()) return Json::FromTrusted(fmt::format("[{}]", JsonString(text).text()));
    list += fmt::format("{}{}", list.empty() ? "" : ",", JsonString(choice).text());
    rest.remove_prefix(std::min(choice.size() + kBetweenLabels.size(), rest.size()));
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

// Nothing if the question has none. `response`: what the user wrote instead of choosing.
Json AnswerOf(const Question& question, const std::vector<InquiryRequest>& all, const ClaudeAnswers& given) {
  const std::string_view value = given.object.Object("answers")[question.text];
  if (IsJsonString(value)) return ToAnswer(question, UnescapeJson(value));
  const std::vector<std::string_view> choices = ElementsOf(value);
  const bool several = question.answer_type.kind == AnswerKind::kMultiSelect || choices.size() > 1;
  if (!choices.empty()) return Json::FromTrusted(std::string(several ? value : choices.front()));
  if (const auto written = AnswerInText(question.text, all, given.text)) return ToAnswer(question, *written);
  const auto response = given.object.String("response");
  return response && !response->empty() && all.size() == 1 ? ToAnswer(question, *response) : Json();
}

// Newer versions wait for a time only. What the user wrote is no answer to one of several questions.
InquiryResponse Unanswered(const InquiryRequest& asked, const JsonObject& result) {
  if (!result["afkTimeoutMs"].empty()) return CancelledInquiry(asked, "expired", false);
  const bool wrote = !result.String("response").value_or("").empty();
  return CancelledInquiry(asked, wrote ? "reply" : "unspecified", wrote);
}

}  // namespace

std::vector<InquiryRequest> ReadClaudeQuestions(std::string_view call, const JsonObject& arguments) {
  std::vector<InquiryRequest> requests;
  std::size_t number = 0;
  for (const std::string_view element : ElementsOf(arguments["questions"])) {
    const JsonObject asked = JsonObject::OfValid(element);
    if (auto request = ReadUserQuestion(call, fmt::format("q{}", ++number), asked)) {
      requests.push_back(*std::move(request));
    }
  }
  return requests;
}

InquiryResponse ReadClaudeAnswer(const InquiryRequest& asked, const std::vector<InquiryRequest>& all,
                                 const ClaudeAnswers& given) {
  const auto& denial = given.refusal.denial;
  if (given.refusal.stopped) return CancelledInquiry(asked, "interrupted", false);
  if (denial) return CancelledInquiry(asked, AsksForClarification(*denial) ? "reply" : "user", true);
  if (given.is_error) return CancelledInquiry(asked, "backend_error", false);
  Json answer = AnswerOf(asked.question, all, given);
  if (answer.text().empty()) return Unanswered(asked, given.object);
  auto note = given.object.Object("annotations").Object(asked.question.text).String("notes");
  return AnsweredInquiry(asked, std::move(answer), std::move(note));
}

}  // namespace turnlog
