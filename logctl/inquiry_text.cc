#include "logctl/inquiry_text.h"

#include <fmt/format.h>

#include "base/compact_json.h"
#include "logctl/text.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog {
namespace {

std::string OptionsText(const AnswerTypeView& type) {
  std::string text;
  for (const auto& option : type.options) {
    text += text.empty() ? " of " : ", ";
    text += CompactJson(option.value.text());
  }
  return text;
}

}  // namespace

std::string SourceText(const InquirySourceView& source) { return Printable(AskerText(source.kind, source.name)); }

std::string AnswerTypeText(const QuestionView& question, bool with_options) {
  const std::string options = with_options ? OptionsText(question.answer_type) : "";
  std::string text;
  switch (question.answer_type.kind) {
    case AnswerKind::kBoolean:
      text = "boolean";
      break;
    case AnswerKind::kSelect:
      text = "select" + options;
      break;
    case AnswerKind::kMultiSelect:
      text = "multi_select" + options;
      break;
    case AnswerKind::kText:
      text = "text";
      break;
    case AnswerKind::kSchema:
      text = "schema";
      break;
    case AnswerKind::kSecret:
      text = "secret";
      break;
  }
  if (!question.default_value.empty()) text += ", default " + CompactJson(question.default_value.text());
  return Printable(text);
}

std::string OutcomeText(const InquiryResponseView& response, const JsonView& metadata) {
  const JsonView edited = FindEditedArguments(metadata);
  switch (response.outcome) {
    case Outcome::kAnswered:
      if (!edited.empty()) return "allowed with other arguments: " + Printable(CompactJson(edited.text()));
      return "answered: " + Printable(CompactJson(response.answer.text()));
    case Outcome::kCancelled:
      return "cancelled: " + Printable(response.reason.value_or("unspecified"));
    case Outcome::kRedacted:
      return "answered: [redacted]";
  }
  return {};
}

std::string ResponderText(const std::optional<ResponderView>& responder) {
  if (!responder) return {};
  std::string text = Printable(responder->kind);
  if (responder->model) text += fmt::format(" ({})", Printable(*responder->model));
  if (responder->who) text += " " + Printable(*responder->who);
  if (responder->via) text += " via " + Printable(*responder->via);
  return text;
}

std::string_view StateOf(const InquiryRecord& record, const InquiryResponseView* response) {
  if (!record.response && response == nullptr) return record.pending ? "pending" : "orphaned";
  if (!record.request) return "unmatched";
  if (response == nullptr) return "unreadable";
  switch (response->outcome) {
    case Outcome::kAnswered:
      return "answered";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kRedacted:
      return "redacted";
  }
  return {};
}

}  // namespace turnlog
