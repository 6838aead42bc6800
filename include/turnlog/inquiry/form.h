// Several questions in one call, asked one after another. The call's arguments are the form:
//   {"questions": [{"id", "text", "context", "answer_type", "options", "other", "schema", "default", "when"}, ...]}
// `answer_type` is "boolean", "select", "multi_select", "text" (if nothing is said) or "schema"; `options` are strings
// or {"value", "description"}, and with `other` any text is an answer as well; `when` {"question_id", "equals"} asks
// the question only if an earlier one got that answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/inquiry/submission.h"
#include "turnlog/turn_state.h"

namespace turnlog {

struct FormCondition {
  std::size_t question = 0;  // an earlier one
  Json equals;
};

struct FormQuestion {
  std::string id;
  Question question;
  std::optional<FormCondition> when;
};

struct Form {
  std::vector<FormQuestion> questions;  // one at least, with different ids
};

// The form, or all that is wrong with it.
std::expected<Form, std::vector<SubmissionProblem>> ParseForm(const Json& arguments);

enum class FormEnd : std::uint8_t {
  kDone,
  kReplied,    // the user would rather say something
  kTurnEnded,  // the user wants to hear nothing more: the turn is over
  kDeclined,   // the user does not answer; the agent goes on without
};

// Where one is in a form: a pure function of what was answered. `form` must outlive it.
class FormWalk {
 public:
  explicit FormWalk(const Form& form);
  explicit FormWalk(const Form&& form) = delete;

  // None: there is a question to be asked.
  std::optional<FormEnd> end() const { return end_; }
  // REQUIRES: no end. The question that is due.
  const FormQuestion& due() const { return form_.questions[position_]; }
  // The same as it is asked: with its progress (prompt_text.h), and what was answered before one went back as default.
  Question Prompt() const;

  // REQUIRES: no end.
  void Answer(const Json& answer, const std::optional<std::string>& note = {});
  // By a reason of cancellation. `back`: the question before is due again, and what was answered there and later is
  // forgotten; at the first one nothing changes. `reply`, `end_turn`, `user` end it. Others leave the question due.
  void Cancel(std::string_view reason);

  // kDone: {id: answer, ...}, null for those that were not asked. Otherwise {"cancelled": true, "answered": {...}}.
  // The note beside an answer is "ID.note"; ids hold no '.'.
  Json Result() const;
  // {id: answer, ...} so far.
  Json Answered() const { return Answers(false); }

 private:
  struct Given {
    Json answer;
    std::optional<std::string> note;
  };

  bool Applies(std::size_t question) const;
  void Advance();
  void GoBack();
  Json Answers(bool all) const;

  const Form& form_;
  std::size_t position_ = 0;
  std::vector<std::optional<Given>> answers_;
  std::vector<Json> earlier_;  // what was answered before one went back
  std::optional<FormEnd> end_;
};

// Where the form is after these inquiries of its call. kInvalidArgument: they are not of this form.
Result<FormWalk> ReplayForm(const Form& form, std::span<const InquiryState* const> inquiries);
Result<FormWalk> ReplayForm(const Form&& form, std::span<const InquiryState* const> inquiries) = delete;

}  // namespace turnlog
