#include "turnlog/inquiry/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/try.h"
#include "inquiry/json_schema.h"
#include "inquiry/submission_reader.h"
#include "turnlog/inquiry/answer.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxQuestionId = 128;

// By AnswerKind.
constexpr std::array<std::string_view, 6> kAnswerTypes{"boolean", "select", "multi_select", "text", "schema", "secret"};

class FormParser {
 public:
  std::expected<Form, std::vector<SubmissionProblem>> Parse(const JsonNode& arguments) {
    if (const auto* const questions = problems_.Questions(arguments)) {
      for (const JsonNode& question : *questions) CollectId(question);
      for (const JsonNode& question : *questions) form_.questions.push_back(ParseQuestion(question));
    }
    if (problems_.clean()) return std::move(form_);
    return std::unexpected(std::move(problems_).Take());
  }

 private:
  std::string Path() const { return fmt::format("questions[{}]", form_.questions.size()); }

  // The first question of each id, so that references in both directions can be checked.
  void CollectId(const JsonNode& question) {
    const JsonNode* const id = question.Find("id");
    if (id != nullptr && id->is(Kind::kString)) indexes_.try_emplace(id->string, count_);
    ++count_;
  }

  FormQuestion ParseQuestion(const JsonNode& node) {
    const std::string path = Path();
    FormQuestion question;
    sound_.push_back(false);
    if (!problems_.IsObject(
            node, path, {"id", "text", "context", "answer_type", "options", "other", "schema", "default", "when"})) {
      return question;
    }
    question.id = ParseId(node, path);
    question.question.text = problems_.Text(node, path, "text").value_or("");
    question.question.context = problems_.Text(node, path, "context", true);
    sound_.back() = ParseAnswerType(node, path, question.question.answer_type);
    if (sound_.back()) ParseDefault(node, path, question.question);
    question.when = ParseWhen(node, path);
    return question;
  }

  std::string ParseId(const JsonNode& node, const std::string& path) {
    const auto id = problems_.Text(node, path, "id");
    if (!id) return {};
    const bool control = std::ranges::any_of(*id, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (id->contains('.') || control || id->size() > kMaxQuestionId) {
      problems_.Note(
          "bad_id", path + ".id",
          fmt::format("must be without '.' and control characters, and {} bytes long at most", kMaxQuestionId));
    } else if (indexes_.at(*id) != form_.questions.size()) {
      problems_.Note("duplicate_id", path + ".id",
                     fmt::format("\"{}\" is the id of questions[{}] already", *id, indexes_.at(*id)));
    }
    return *id;
  }

  // False after a problem.
  bool ParseAnswerType(const JsonNode& node, const std::string& path, AnswerType& type) {
    const bool said = node.Find("answer_type") != nullptr;
    const std::string name = said ? problems_.Text(node, path, "answer_type").value_or("") : "text";
    const auto known = std::ranges::find(kAnswerTypes, name);
    type.kind = known == kAnswerTypes.end() ? AnswerKind::kText : static_cast<AnswerKind>(known - kAnswerTypes.begin());
    if (known == kAnswerTypes.end()) {
      if (!name.empty())
        problems_.Note("unknown_answer_type", path + ".answer_type",
                       "must be boolean, select, multi_select, text or schema");
      return false;
    }
    if (type.kind == AnswerKind::kSecret) {
      problems_.Note("secret_not_allowed", path + ".answer_type",
                     "secrets are not asked for in a form: its answers are told to the model");
      return false;
    }
    const bool options = ParseOptions(node, path, type);
    const bool other = ParseOther(node, path, type);
    return ParseSchema(node, path, type) && options && other;
  }

  bool ParseOptions(const JsonNode& node, const std::string& path, AnswerType& type) {
    const std::string where = path + ".options";
    const JsonNode* const options = node.Find("options");
    if (type.kind != AnswerKind::kSelect && type.kind != AnswerKind::kMultiSelect) {
      if (options != nullptr)
        problems_.Note("options_out_of_place", where, "only select and multi_select have options");
      return options == nullptr;
    }
    if (options != nullptr && !options->is(Kind::kArray)) {
      problems_.Note("wrong_type", where, "must be an array");
      return false;
    }
    if (options == nullptr || options->elements.empty()) {
      problems_.Note("options_missing", where, "select and multi_select need options");
      return false;
    }
    type.options = problems_.Options(*options, where);
    return type.options.size() == options->elements.size();
  }

  // False after a problem.
  bool ParseOther(const JsonNode& node, const std::string& path, AnswerType& type) {
    const JsonNode* const other = node.Find("other");
    if (other == nullptr) return true;
    const std::string where = path + ".other";
    if (!other->is(Kind::kBool)) {
      problems_.Note("wrong_type", where, "must be true or false");
    } else if (type.kind != AnswerKind::kSelect && type.kind != AnswerKind::kMultiSelect) {
      problems_.Note("other_out_of_place", where, "only select and multi_select have options to be beside");
    } else {
      type.other = other->is_true();
      return true;
    }
    return false;
  }

  bool ParseSchema(const JsonNode& node, const std::string& path, AnswerType& type) {
    const std::string where = path + ".schema";
    const JsonNode* const schema = node.Find("schema");
    if (type.kind != AnswerKind::kSchema) {
      if (schema != nullptr) problems_.Note("schema_out_of_place", where, "only answers of type schema have one");
      return schema == nullptr;
    }
    if (schema == nullptr) {
      problems_.Note("schema_missing", where, "answers of type schema need one");
      return false;
    }
    if (!schema->is(Kind::kObject)) {
      problems_.Note("wrong_type", where, "must be an object");
      return false;
    }
    if (const auto fault = FindSchemaProblem(*schema)) {
      problems_.Note("bad_schema", where, *fault);
      return false;
    }
    type.schema = schema->json();
    return true;
  }

  void ParseDefault(const JsonNode& node, const std::string& path, Question& question) {
    const JsonNode* const value = node.Find("default");
    if (value == nullptr) return;
    const Status fits = CheckAnswer(question.answer_type, value->json());
    if (!fits) return problems_.Note("default_does_not_fit", path + ".default", "is no answer to this question");
    question.default_value = CanonicalAnswer(question.answer_type, value->json());
  }

  std::optional<FormCondition> ParseWhen(const JsonNode& node, const std::string& path) {
    const JsonNode* const when = node.Find("when");
    const std::string where = path + ".when";
    if (when == nullptr || !problems_.IsObject(*when, where, {"question_id", "equals"})) return std::nullopt;
    const auto id = problems_.Text(*when, where, "question_id");
    const JsonNode* const equals = when->Find("equals");
    if (equals == nullptr) problems_.Note("missing", where + ".equals", "is missing");
    if (!id) return std::nullopt;
    const auto index = indexes_.find(*id);
    if (index == indexes_.end()) {
      problems_.Note("unknown_question", where + ".question_id", fmt::format("there is no question \"{}\"", *id));
    } else if (index->second >= form_.questions.size()) {
      problems_.Note("forward_reference", where + ".question_id",
                     fmt::format("\"{}\" is not an earlier question", *id));
    } else if (equals != nullptr) {
      return Condition(index->second, *equals, where);
    }
    return std::nullopt;
  }

  // Null is the answer to a question that was not asked.
  FormCondition Condition(std::size_t question, const JsonNode& equals, const std::string& path) {
    const FormQuestion& earlier = form_.questions[question];
    const bool skipped = equals.is(Kind::kNull) && earlier.when.has_value();
    const bool possible =
        skipped || !sound_[question] || CheckAnswer(earlier.question.answer_type, equals.json()).has_value();
    if (!possible) problems_.Note("condition_never_holds", path + ".equals", "is no answer to that question");
    return {question, equals.json()};
  }

  SubmissionReader problems_;
  Form form_;
  std::vector<bool> sound_;  // by question: its answer type is
  std::size_t count_ = 0;
  std::map<std::string, std::size_t, std::less<>> indexes_;
};

}  // namespace

std::expected<Form, std::vector<SubmissionProblem>> ParseForm(const Json& arguments) {
  const Json none = Json::FromTrusted("{}");
  return FormParser().Parse(ParseTree(arguments.empty() ? none : arguments));
}

}  // namespace turnlog
