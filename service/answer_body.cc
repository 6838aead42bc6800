#include "service/answer_body.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "service/body_fields.h"

namespace turnlog {
namespace {

Result<std::vector<AnswerBody::ByText>> Answers(std::string_view json) {
  if (!json.starts_with('{')) return WrongBody("answers must be an object, by the text of the question");
  std::vector<AnswerBody::ByText> answers;
  JsonFields fields(json);
  while (fields.Next().value_or(false)) {
    answers.push_back({UnescapeJson(fields.key()), fields.value()});
  }
  return answers;
}

Status ReadField(std::string_view name, std::string_view json, AnswerBody& body) {
  if (name == "inquiry") {
    body.inquiry = TURNLOG_TRY(TextField(name, json));
  } else if (name == "answer") {
    body.answer = json;
  } else if (name == "answers") {
    body.answers = TURNLOG_TRY(Answers(json));
  } else if (name == "arguments") {
    if (!json.starts_with('{')) return WrongBody("arguments must be an object");
    body.arguments = json;
  } else if (name == "note") {
    body.note = TURNLOG_TRY(TextField(name, json));
  } else if (name == "reason") {
    body.reason = TURNLOG_TRY(TextField(name, json));
  } else if (name == "remember") {
    body.remember = TURNLOG_TRY(FlagField(name, json));
  } else if (name == "decline") {
    body.decline = TURNLOG_TRY(FlagField(name, json));
  } else if (name == "who") {
    body.who = TURNLOG_TRY(TextField(name, json));
  } else if (name == "via") {
    body.via = TURNLOG_TRY(TextField(name, json));
    if (body.via == "hook") return WrongBody("via is hook only in what hooks record");
  } else {
    return WrongBody(
        "a field is unknown; known are inquiry, answer, answers, arguments, note, remember, reason, decline, who and "
        "via");
  }
  return {};
}

}  // namespace

Result<AnswerBody> ReadAnswerBody(std::string_view json) {
  if (const auto fault = FindJsonFault(json)) return WrongBody(fmt::format("byte {}: {}", fault->byte, fault->what));
  const std::size_t begin = SkipJsonSpace(json, 0);
  if (json[begin] != '{') return WrongBody("must be a JSON object");
  AnswerBody body;
  JsonFields fields(json, begin);
  while (fields.Next().value_or(false)) {
    const std::string name = UnescapeJson(fields.key());
    TURNLOG_TRY(ReadField(name, fields.value(), body));
  }
  return body;
}

}  // namespace turnlog
