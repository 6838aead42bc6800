#include "logctl/inquiry_text.h"

#include <fmt/format.h>

#include "logctl/text.h"

namespace turnlog {
namespace {

std::string OptionsText(const BasicAnswerType<std::string_view>& type) {
  std::string text;
  for (const auto& option : type.options) {
    text += text.empty() ? " of " : ", ";
    text += CompactJson(option.value.text());
  }
  return text;
}

}  // namespace

std::string SourceText(const BasicInquirySource<std::string_view>& source) {
  switch (source.kind) {
    case SourceKind::kTool:
      return "tool " + Printable(source.name);
    case SourceKind::kAssistant:
      return "assistant";
    case SourceKind::kUser:
      return "user";
    case SourceKind::kOther:
      return Printable(source.name);
  }
  return {};
}

std::string AnswerTypeText(const BasicQuestion<std::string_view>& question, bool with_options) {
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

std::string OutcomeText(const InquiryResponseView& response) {
  switch (response.outcome) {
    case Outcome::kAnswered:
      return "answered: " + Printable(CompactJson(response.answer.text()));
    case Outcome::kCancelled:
      return "cancelled: " + Printable(response.reason.value_or("unspecified"));
    case Outcome::kRedacted:
      return "answered: [redacted]";
  }
  return {};
}

std::string ResponderText(const InquiryResponseView& response) {
  if (!response.responder) return {};
  std::string text = Printable(response.responder->kind);
  if (response.responder->model) text += fmt::format(" ({})", Printable(*response.responder->model));
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
