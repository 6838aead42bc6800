#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "inquiry/json_tree.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/form.h"

namespace turnlog {

namespace {

// 0 if it is none.
std::uint64_t Count(const JsonNode* number) {
  return number != nullptr && number->is(JsonNode::Kind::kNumber)
             ? std::strtoull(std::string(number->text).c_str(), nullptr, 10)
             : 0;
}

}  // namespace

std::optional<FormPlace> FindFormPlace(const Question& question) {
  if (question.extra.empty()) return std::nullopt;
  const JsonNode extra = ParseTree(question.extra);
  const JsonNode* const form = extra.Find("form");
  if (form == nullptr || !form->is(JsonNode::Kind::kObject)) return std::nullopt;
  return FormPlace{Count(form->Find("question")), Count(form->Find("of"))};
}

FormWalk::FormWalk(const Form& form) : form_(form), answers_(form.questions.size()) {}

Question FormWalk::Prompt() const {
  Question question = due().question;
  const std::size_t count = form_.questions.size();
  if (count > 1) question.text = fmt::format("[{}/{}] {}", position_ + 1, count, question.text);
  question.exclusive = true;
  question.persistence = "none";
  question.extra = Json::FromTrusted(fmt::format(R"({{"form":{{"question":{},"of":{}}}}})", position_ + 1, count));
  return question;
}

bool FormWalk::Applies(std::size_t question) const {
  const auto& when = form_.questions[question].when;
  if (!when) return true;
  const Json null = Json::FromTrusted("null");
  return SameValue(answers_[when->question].value_or(null), when->equals);
}

void FormWalk::Advance() {
  do {
    ++position_;
  } while (position_ < form_.questions.size() && !Applies(position_));
  if (position_ == form_.questions.size()) end_ = FormEnd::kDone;
}

void FormWalk::Answer(const Json& answer) {
  answers_[position_] = answer;
  Advance();
}

void FormWalk::GoBack() {
  std::size_t asked = position_;
  while (asked > 0 && !answers_[asked - 1]) --asked;
  if (asked == 0) return;
  position_ = asked - 1;
  answers_[position_].reset();
}

void FormWalk::Cancel(std::string_view reason) {
  if (reason == cancellation::kBack) GoBack();
  if (reason == cancellation::kReply) end_ = FormEnd::kReplied;
  if (reason == cancellation::kEndTurn) end_ = FormEnd::kTurnEnded;
  if (reason == cancellation::kUser) end_ = FormEnd::kCancelled;
}

Json FormWalk::Result() const {
  const bool done = end_ == FormEnd::kDone;
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  if (!done) {
    json.Key("cancelled"), json.Bool(true);
    json.Key("answered"), json.StartObject();
  }
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (!answers_[i] && !done) continue;
    json.Key(form_.questions[i].id), json.Raw(answers_[i] ? answers_[i]->text() : "null");
  }
  if (!done) json.EndObject();
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

}  // namespace turnlog
