#include "migrate/codex/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "migrate/records/user_question.h"
#include "sanitize/redaction/redacted_text.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// What the user wrote himself comes as one more answer.
constexpr std::string_view kNote = "user_note: ";
constexpr std::string_view kAborted = "aborted", kCancelled = "request_user_input was cancelled";

bool IsStopped(std::string_view output) { return output.starts_with(kAborted) || output.starts_with(kCancelled); }

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

// The texts in an answer, and what the user wrote himself without its lead.
void AddStrings(std::string_view answer, std::vector<SecretString>& texts) {
  const JsonObject object = JsonObject::OfValid(answer);
  const Given given = ReadAnswers(object["answers"]);
  for (const std::string& label : given.labels) texts.emplace_back(label);
  if (given.note) texts.emplace_back(*given.note);
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

// An output that is no object says why there are no answers, or what it says is not known.
CodexSecrets RemoveSecretAnswers(std::span<const CodexQuestion> asked, std::string_view output) {
  CodexSecrets removed;
  const auto result = JsonObject::Parse(output);
  if (!result || !(*result)["answers"].starts_with('{')) {
    removed.output = IsStopped(output) ? output : kRedactionMark;
    return removed;
  }
  const JsonObject answers = result->Object("answers");
  std::size_t done = 0;
  for (const auto& [name, answer] : answers.fields()) {
    const std::string id = UnescapeJson(name);
    const auto is_open = [&](const CodexQuestion& each) { return !each.is_secret() && each.id == id; };
    if (std::ranges::any_of(asked, is_open)) continue;
    AddStrings(answer, removed.answers);
    const auto begin = static_cast<std::size_t>(answer.data() - output.data());
    removed.output += output.substr(done, begin - done);
    removed.output += fmt::format(R"({{"answers":["{}"]}})", kRedactionMark);
    done = begin + answer.size();
  }
  removed.output += output.substr(done);
  return removed;
}

InquiryResponse ReadCodexAnswer(const CodexQuestion& asked, std::string_view output) {
  const auto result = JsonObject::Parse(output);
  if (!result) return CancelledInquiry(asked.request, IsStopped(output) ? "interrupted" : "unspecified", false);
  Given given = ReadAnswers(result->Object("answers").Object(asked.id)["answers"]);
  const bool answered = given.note || !given.labels.empty();
  if (asked.is_secret() && answered) return {.outcome = Outcome::kRedacted, .id = asked.request.id};
  return ToResponse(asked.request, std::move(given));
}

}  // namespace turnlog
