// The tools as models get to know them. What a schema cannot say (ids that differ, conditions that look back) is in the
// description, and the parsers say it when it is broken.
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"

namespace turnlog {

const ToolDefinition kAskUserTool{
    .name = "ask_user",
    .description =
        "Has the user fill in a form: questions that are asked one after another, some of them only if an earlier one "
        "got a certain answer. Each question has an id of its own. Use it when later questions depend on earlier "
        "answers, or when answers are texts, numbers or structured values. Never ask for passwords or keys. The result "
        "is an object of the answers by id, null for questions that were not asked; `ID.note` is what the user said "
        "beside an answer. {\"cancelled\": true, \"answered\": {...}} means that the user did not finish the form.",
    .schema = R"({"type":"object","additionalProperties":false,"required":["questions"],"properties":{)"
              R"("questions":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,)"
              R"("required":["id","text"],"properties":{)"
              R"("id":{"type":"string","minLength":1,"maxLength":128,"pattern":"^[^.\\x00-\\x1f]+$",)"
              R"("description":"Unique within the form; without dots."},)"
              R"("text":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]"},)"
              R"("context":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]",)"
              R"("description":"What the user should know to answer."},)"
              R"("answer_type":{"enum":["boolean","select","multi_select","text","schema"],"default":"text"},)"
              R"("options":{"type":"array","minItems":1,)"
              R"("description":"select and multi_select only, and there always.","items":{"anyOf":[{"type":"string"},)"
              R"({"type":"object","additionalProperties":false,"required":["value"],"properties":{"value":{},)"
              R"("description":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]"}}}]}},)"
              R"("other":{"type":"boolean","description":"select and multi_select only: any text is an answer, too."},)"
              R"("schema":{"type":"object","description":"schema only, and there always: JSON schema of the answer."},)"
              R"("default":{"description":"Taken if the user gives no other answer."},)"
              R"("when":{"type":"object","additionalProperties":false,"required":["question_id","equals"],)"
              R"("description":"Ask only if this earlier question got this answer; null: if it was not asked.",)"
              R"("properties":{"question_id":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]"},"equals":{}}})"
              R"(}}}}})"};

const ToolDefinition kAskUserQuestionTool{
    .name = "ask_user_question",
    .description =
        "Asks the user one to four questions with two to four options each, all at once. Use it when a choice of the "
        "user decides how you go on. The user can always give another answer, so offer no option such as \"Other\". "
        "The result is {\"answers\": {question: label}}, an array of labels with multiSelect; `notes` is what the user "
        "said beside an answer, `declined` which questions the user did not answer: go on without.",
    .schema = R"({"type":"object","additionalProperties":false,"required":["questions"],"properties":{)"
              R"("questions":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object",)"
              R"("additionalProperties":false,"required":["question","options"],"properties":{)"
              R"("question":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]",)"
              R"("description":"The whole question; unique among those of the call."},)"
              R"("header":{"type":"string","minLength":1,"maxLength":12,"pattern":"[^ \\t\\r\\n]",)"
              R"("description":"A short label."},)"
              R"("options":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object",)"
              R"("additionalProperties":false,"required":["label"],"properties":{)"
              R"("label":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]",)"
              R"("not":{"pattern":"^[Oo][Tt][Hh][Ee][Rr]$"},"description":"Unique within the question."},)"
              R"("description":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]"},)"
              R"("preview":{"type":"string","minLength":1,"pattern":"[^ \\t\\r\\n]",)"
              R"("description":"What this option would look like."}}}},)"
              R"("multiSelect":{"type":"boolean","default":false})"
              R"(}}}}})"};

}  // namespace turnlog
