// Any JSON as what a model submits and answers: a form, questions to its user, a schema, an answer. What is accepted
// can be asked.
#include <string>
#include <string_view>

#include "inquiry/json_schema.h"
#include "schema/json/json_tree.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/form.h"

namespace {

using namespace turnlog;

void ReadQuestions(const Json& json) {
  if (const auto form = ParseForm(json)) {
    for (const FormQuestion& question : form->questions) Require(CheckQuestion(question.question).has_value());
    Require(!FormWalk(*form).end());
  } else {
    Require(!form.error().empty());
  }
  if (const auto questions = ParseUserQuestions(json)) {
    for (const Question& question : *questions) Require(CheckQuestion(question).has_value());
  } else {
    Require(!questions.error().empty());
  }
}

// The document is the schema and the value.
void ReadSchema(const Json& json) {
  const JsonNode tree = ParseTree(json);
  if (FindSchemaProblem(tree)) return;
  (void)FindSchemaFault(tree, tree, "answer");
  (void)CheckAnswer({.kind = AnswerKind::kSchema, .schema = json}, json);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  ReadQuestions(*json);
  ReadSchema(*json);
  if (const auto answer = ParseAssistantAnswer(AnswerType{}, json->text())) {
    Require(CheckAnswer(AnswerType{}, answer->answer).has_value());
  }
  return 0;
}
