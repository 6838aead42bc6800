#include "turnlog/inquiry/typed_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/utf8.h"
#include "schema/json/json_layout.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

std::string Compact(const Json& json) {
  std::string text;
  AppendCompact(json.text(), text);
  return text;
}

bool Takes(const AnswerType& type, const Json& answer) { return CheckAnswer(type, answer).has_value(); }

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The option with this value.
std::optional<Json> FindOption(const AnswerType& type, std::string_view text) {
  const Json as_string = JsonString(text);
  const auto as_json = ParseJson(text);
  for (const SelectOption& option : type.options) {
    const AnswerType only{.kind = AnswerKind::kSelect, .options = {option}, .schema = {}, .extra = {}};
    if (Takes(only, as_string) || (as_json && Takes(only, *as_json))) return option.value;
  }
  return std::nullopt;
}

std::optional<Json> FindNumbered(const AnswerType& type, std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number <= type.options.size() ? std::optional(type.options[number - 1].value) : std::nullopt;
}

bool IsNumber(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

using Finder = std::optional<Json> (*)(const AnswerType& type, std::string_view text);

// What is none of the options is an answer of its own, where the question allows that.
std::optional<Json> FindGiven(const AnswerType& type, std::string_view text) {
  const auto option = FindOption(type, text);
  return !option && type.other && !text.empty() ? std::optional(JsonString(text)) : option;
}

// A number that is none of an option is a mistake.
std::optional<Json> FindTyped(const AnswerType& type, std::string_view text) {
  if (const auto numbered = FindNumbered(type, text)) return numbered;
  return IsNumber(text) ? FindOption(type, text) : FindGiven(type, text);
}

// At commas; without one, at blanks, unless texts of one's own may hold them.
std::vector<std::string_view> Split(std::string_view text, bool other) {
  const std::string_view separators = text.contains(',') || other ? "," : " \t";
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (const auto part = Trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Json ArrayOf(const std::vector<Json>& elements) {
  std::string text;
  for (const Json& element : elements) text.append(text.empty() ? "" : ",").append(element.text());
  return Json::FromTrusted("[" + text + "]");
}

// Options with blanks or commas between them.
std::optional<Json> FindSeveral(const AnswerType& type, std::string_view text, Finder find) {
  if (text == "-") return ArrayOf({});
  if (const auto one = FindOption(type, text)) return ArrayOf({*one});
  std::vector<Json> chosen;
  for (const std::string_view part : Split(text, type.other)) {
    const auto one = find(type, part);
    if (!one) return std::nullopt;
    if (std::ranges::find(chosen, *one) == chosen.end()) chosen.push_back(*one);
  }
  return ArrayOf(chosen);
}

std::optional<Json> FindBoolean(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (word == "y" || word == "yes" || word == "true") return Json::FromTrusted("true");
  if (word == "n" || word == "no" || word == "false") return Json::FromTrusted("false");
  return std::nullopt;
}

ReadAnswer FitOrSay(const AnswerType& type, Json answer) {
  const Status fits = CheckAnswer(type, answer);
  return fits ? ReadAnswer(std::move(answer)) : std::unexpected(fits.error().message);
}

ReadAnswer OrSay(const Question& question, std::optional<Json> answer) {
  if (answer) return *std::move(answer);
  return std::unexpected(fmt::format("expected {}", ExpectedAnswer(question)));
}

// The text as JSON if that fits the schema; else as a string if that fits.
ReadAnswer ReadBySchema(const AnswerType& type, std::string_view text) {
  const auto json = ParseJson(text);
  if (json && Takes(type, *json)) return *json;
  if (Json as_string = JsonString(text); Takes(type, as_string)) return as_string;
  if (!json) return std::unexpected("not JSON: " + json.error().message);
  return FitOrSay(type, *json);
}

ReadAnswer Read(const Question& question, std::string_view text, Finder find) {
  const AnswerType& type = question.answer_type;
  if (!IsUtf8(text)) return std::unexpected("not UTF-8");
  switch (type.kind) {
    case AnswerKind::kBoolean:
      return OrSay(question, FindBoolean(Trimmed(text)));
    case AnswerKind::kSelect:
      return OrSay(question, find(type, Trimmed(text)));
    case AnswerKind::kMultiSelect:
      if (Trimmed(text).starts_with('[')) {
        if (const auto json = ParseJson(text)) return FitOrSay(type, *json);
      }
      return OrSay(question, FindSeveral(type, Trimmed(text), find));
    case AnswerKind::kText:
    case AnswerKind::kSecret:
      return JsonString(text);
    case AnswerKind::kSchema:
      return ReadBySchema(type, Trimmed(text));
  }
  return std::unexpected("unknown type of question");
}

std::string OptionList(const AnswerType& type) {
  std::string list;
  for (const SelectOption& option : type.options) {
    list.append(list.empty() ? "" : ", ").append(Printable(Compact(option.value)));
  }
  return list;
}

}  // namespace

ReadAnswer ReadValue(const Question& question, std::string_view text) { return Read(question, text, FindGiven); }

ReadAnswer ReadTyped(const Question& question, std::string_view line) {
  const bool control = std::ranges::any_of(
      line, [](char c) { return c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f); });
  if (control) return std::unexpected("control characters are not allowed");
  if (Trimmed(line).empty()) {
    if (question.default_value.empty()) return std::unexpected("nothing was typed, and the question has no default");
    return FitOrSay(question.answer_type, question.default_value);
  }
  if (question.answer_type.kind == AnswerKind::kText && line == R"("")") return JsonString("");
  return Read(question, line, FindTyped);
}

std::string ExpectedAnswer(const Question& question) {
  switch (question.answer_type.kind) {
    case AnswerKind::kBoolean:
      return "true or false";
    case AnswerKind::kSelect:
      return "one of " + OptionList(question.answer_type) + (question.answer_type.other ? ", or a text" : "");
    case AnswerKind::kMultiSelect:
      return "a list of any of " + OptionList(question.answer_type) + (question.answer_type.other ? ", or texts" : "");
    case AnswerKind::kText:
      return "a text";
    case AnswerKind::kSchema:
      return "JSON that fits the schema " + Printable(Compact(question.answer_type.schema));
    case AnswerKind::kSecret:
      return "a secret";
  }
  return {};
}

std::string OptionText(const Json& value) {
  const std::string text = Compact(value);
  const bool plain = text.size() > 2 && text.starts_with('"') && !text.contains('\\');
  return Printable(plain ? std::string_view(text).substr(1, text.size() - 2) : std::string_view(text));
}

}  // namespace turnlog
