#include "migrate/codex/questions.h"

#include <fmt/format.h>

#include <utility>

#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// What the user wrote himself comes as one more answer.
constexpr std::string_view kNote = "user_note: ";

struct Given {
  std::vector<std::string> labels;
  std::optional<std::string> note;
};

Given ReadAnswers(std::string_view list) {
  Given given;
  for (const std::string_view token : ElementsOf(list)) {
    if (!IsJsonString(token)) continue;
    std::string text = UnescapeJson(token);
    if (text.starts_with(kNote)) {
      given.note = text.substr(kNote.size());
    } else {
      given.labels.push_back(std::move(text));
    }
  }
  return given;
}

// The user's own words are the answer unless he chose an option beside them.
InquiryResponse ToResponse(const InquiryRequest& asked, Given given) {
  const bool chose = !given.labels.empty() && (!given.note || IsOption(asked.question, given.labels.front()));
  if (!chose && !given.note) return CancelledInquiry(asked, "user", true);
  if (!chose) return AnsweredInquiry(asked, JsonString(*given.note), std::nullopt);
  if (given.labels.size() == 1) return AnsweredInquiry(asked, JsonString(given.labels.front()), std::move(given.note));
  std::string list;
  for (const std::string& label : given.labels) list += (list.empty() ? "[" : ",") + JsonString(label).text();
  return AnsweredInquiry(asked, Json::FromTrusted(list + "]"), std::move(given.note));
}

}  // namespace

std::vector<CodexQuestion> ReadCodexQuestions(std::string_view call, const JsonObject& arguments) {
  std::vector<CodexQuestion> questions;
  std::size_t number = 0;
  for (const std::string_view element : ElementsOf(arguments["questions"])) {
    const JsonObject asked = JsonObject::OfValid(element);
    if (auto request = ReadUserQuestion(call, fmt::format("q{}", ++number), asked)) {
      questions.push_back({asked.String("id").value_or(""), *std::move(request)});
    }
  }
  return questions;
}

InquiryResponse ReadCodexAnswer(const CodexQuestion& asked, std::string_view output) {
  const auto result = JsonObject::Parse(output);
  if (!result)
    return CancelledInquiry(asked.request, output.starts_with("aborted") ? "interrupted" : "unspecified", false);
  return ToResponse(asked.request, ReadAnswers(result->Object("answers").Object(asked.id)["answers"]));
}

}  // namespace turnlog
