// Several questions in one call, asked one after another. The call's arguments are the form:
//   {"questions": [{"id", "text", "context", "answer_type", "options", "schema", "default", "when"}, ...]}
// `answer_type` is "boolean", "select", "multi_select", "text" (if nothing is said) or "schema"; `options` are strings
// or {"value", "description"}; `when` {"question_id", "equals"} asks the question only if an earlier one got that
// answer.
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
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/submission.h"
#include "turnlog/inquiry/turn_recorder.h"

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
  kTurnEnded,  // and the model shall say nothing more
  kCancelled,
};

// Where one is in a form: a pure function of what was answered. `form` must outlive it.
class FormWalk {
 public:
  explicit FormWalk(const Form& form);

  // None: there is a question to be asked.
  std::optional<FormEnd> end() const { return end_; }
  // REQUIRES: no end. The question that is due.
  const FormQuestion& due() const { return form_.questions[position_]; }
  // The same as it is asked: with "[N/M] " before its text if there are several, and {"form": {"question", "of"}}.
  Question Prompt() const;

  // REQUIRES: no end.
  void Answer(const Json& answer);
  // By a reason of cancellation. `back`: the question before is due again, and what was answered there and later is
  // forgotten; at the first one nothing changes. `reply`, `end_turn`, `user` end it. Others leave the question due.
  void Cancel(std::string_view reason);

  // kDone: {id: answer, ...}, null for those that were not asked. Otherwise {"cancelled": true, "answered": {...}}.
  Json Result() const;

 private:
  bool Applies(std::size_t question) const;
  void Advance();
  void GoBack();

  const Form& form_;
  std::size_t position_ = 0;
  std::vector<std::optional<Json>> answers_;
  std::optional<FormEnd> end_;
};

// Where the form is after these inquiries of its call. kInvalidArgument: they are not of this form.
Result<FormWalk> ReplayForm(const Form& form, std::span<const InquiryState* const> inquiries);

// Where in a form a question stands, as it says itself: `question` of `of`. None: it belongs to no form.
struct FormPlace {
  std::uint64_t question = 0, of = 0;
};
std::optional<FormPlace> FindFormPlace(const Question& question);

struct FormOutcome {
  std::optional<FormEnd> end;  // none: a question waits, or the form was wrong
  std::string content;         // the call's result; empty if a question waits
};

// Takes a call whose arguments are a form to its result, which it records; from wherever it is. A form that is wrong
// gets an error result that says all that is. After an end by anything but the user the result says that it was
// cancelled. kNotFound: there is no such open call. Other errors: of the recorder.
Result<FormOutcome> RunForm(TurnRecorder& recorder, std::string_view call, const Responders& responders);

}  // namespace turnlog
