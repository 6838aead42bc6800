#include <fmt/format.h>

#include <utility>

#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/form.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog {
namespace {

std::unexpected<Error> NotThisForm(const InquiryId& inquiry) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument,
                               fmt::format("inquiry {} does not follow from the form of its call", inquiry.text)});
}

}  // namespace

FormWalk::FormWalk(const Form& form) : form_(form), answers_(form.questions.size()), earlier_(form.questions.size()) {}

Question FormWalk::Prompt() const {
  Question question = due().question;
  if (!earlier_[position_].empty()) question.default_value = earlier_[position_];
  question.exclusive = true;
  question.persistence = "none";
  return WithFormProgress(std::move(question), {position_ + 1, form_.questions.size()});
}

bool FormWalk::Applies(std::size_t question) const {
  const auto& when = form_.questions[question].when;
  if (!when) return true;
  const auto& given = answers_[when->question];
  if (!given) return when->equals.text() == "null";
  return SameAnswer(form_.questions[when->question].question.answer_type, given->answer, when->equals);
}

void FormWalk::Advance() {
  do {
    ++position_;
  } while (position_ < form_.questions.size() && !Applies(position_));
  if (position_ == form_.questions.size()) end_ = FormEnd::kDone;
}

void FormWalk::Answer(const Json& answer, const std::optional<std::string>& note) {
  answers_[position_] = Given{answer, note};
  Advance();
}

void FormWalk::GoBack() {
  std::size_t asked = position_;
  while (asked > 0 && !answers_[asked - 1]) --asked;
  if (asked == 0) return;
  position_ = asked - 1;
  earlier_[position_] = answers_[position_]->answer;
  answers_[position_].reset();
}

void FormWalk::Cancel(std::string_view reason) {
  if (reason == cancellation::kBack) GoBack();
  if (reason == cancellation::kReply) end_ = FormEnd::kReplied;
  if (reason == cancellation::kEndTurn) end_ = FormEnd::kTurnEnded;
  if (reason == cancellation::kUser) end_ = FormEnd::kDeclined;
}

Json FormWalk::Answers(bool all) const {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    const std::string& id = form_.questions[i].id;
    if (!answers_[i] && all) json.Key(id), json.Raw("null");
    if (!answers_[i]) continue;
    json.Key(id), json.Raw(answers_[i]->answer.text());
    if (answers_[i]->note) json.Field(id + ".note", *answers_[i]->note);
  }
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

Json FormWalk::Result() const {
  if (end_ == FormEnd::kDone) return Answers(true);
  return Json::FromTrusted(fmt::format(R"({{"cancelled":true,"answered":{}}})", Answered().text()));
}

// One that waits, and those that the system cancelled, leave their question due; Inquirer compares it with the form's.
Result<FormWalk> ReplayForm(const Form& form, std::span<const InquiryState* const> inquiries) {
  FormWalk walk(form);
  for (const InquiryState* inquiry : inquiries) {
    const InquiryId& id = inquiry->request.id;
    if (walk.end() || !id.key || id.key->question != walk.due().id) return NotThisForm(id);
    if (!inquiry->response) break;
    const InquiryResponse& response = *inquiry->response;
    if (response.outcome == Outcome::kCancelled) {
      walk.Cancel(response.reason.value_or(""));
    } else {
      if (!CheckAnswer(walk.due().question.answer_type, response.answer)) return NotThisForm(id);
      walk.Answer(response.answer, response.reason);
    }
  }
  return walk;
}

}  // namespace turnlog
