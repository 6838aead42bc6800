#include "migrate/jp/tool_answers.h"

#include <string>
#include <utility>

#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {

bool AddToolAnswers(std::string_view answers, Json& arguments) {
  if (answers.empty()) return true;
  if (FindJsonField(arguments.text(), kToolAnswers)) return false;
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Fields(JsonView::FromTrusted(arguments.text()));
  json.Key(kToolAnswers), json.Exactly(answers);
  json.EndObject();
  arguments = Json::FromTrusted(std::move(text));
  return true;
}

void TakeToolAnswers(Json& fields, Json& arguments) {
  const auto answers = FindJsonField(fields.text(), kToolAnswers);
  if (!answers || !AddToolAnswers(answers->value, arguments)) return;
  std::string rest;
  JsonWriter json(rest);
  json.StartObject();
  JsonFields each(fields.text());
  while (each.Next().value_or(false)) {
    if (each.KeyIs(kToolAnswers)) continue;
    json.Value().append(each.key()).append(":").append(each.value());
  }
  json.EndObject();
  fields = rest == "{}" ? Json() : Json::FromTrusted(std::move(rest));
}

}  // namespace turnlog
