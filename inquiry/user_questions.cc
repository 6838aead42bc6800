// What is submitted to `ask_user_question`.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "inquiry/submission_reader.h"
#include "turnlog/inquiry/ask_user_question.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxQuestions = 4, kMinOptions = 2, kMaxOptions = 4, kMaxHeader = 12;

std::size_t CountCharacters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class QuestionsParser {
 public:
  std::expected<std::vector<Question>, std::vector<SubmissionProblem>> Parse(const JsonNode& arguments) {
    const auto* const list = problems_.Questions(arguments);
    if (list != nullptr && list->size() > kMaxQuestions) {
      problems_.Note("too_many", "questions", fmt::format("there may be {} questions at most", kMaxQuestions));
    }
    std::vector<Question> questions;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      questions.push_back(ParseQuestion((*list)[i], fmt::format("questions[{}]", i)));
    }
    if (problems_.clean()) return questions;
    return std::unexpected(std::move(problems_).Take());
  }

 private:
  Question ParseQuestion(const JsonNode& node, const std::string& path) {
    Question question;
    if (!problems_.IsObject(node, path, {"question", "header", "options", "multiSelect"})) return question;
    question.text = problems_.Text(node, path, "question").value_or("");
    if (!question.text.empty() && !texts_.insert(question.text).second) {
      problems_.Note("duplicate_question", path + ".question", "has the same text as an earlier question");
    }
    question.answer_type.kind = IsMulti(node, path) ? AnswerKind::kMultiSelect : AnswerKind::kSelect;
    question.answer_type.options = ParseOptions(node, path + ".options");
    question.answer_type.other = true;
    question.exclusive = true;
    question.persistence = "none";
    question.extra = ParseHeader(node, path);
    return question;
  }

  Json ParseHeader(const JsonNode& node, const std::string& path) {
    const auto header = problems_.Text(node, path, "header", true);
    if (!header) return {};
    if (CountCharacters(*header) > kMaxHeader) {
      problems_.Note("too_long", path + ".header", fmt::format("may have {} characters at most", kMaxHeader));
    }
    return Json::FromTrusted(fmt::format(R"({{"header":{}}})", JsonString(*header).text()));
  }

  bool IsMulti(const JsonNode& node, const std::string& path) {
    const JsonNode* const multi = node.Find("multiSelect");
    if (multi != nullptr && !multi->is(Kind::kBool)) {
      problems_.Note("wrong_type", path + ".multiSelect", "must be true or false");
    }
    return multi != nullptr && multi->is_true();
  }

  std::vector<SelectOption> ParseOptions(const JsonNode& question, const std::string& path) {
    const JsonNode* const list = question.Find("options");
    if (list == nullptr || !list->is(Kind::kArray)) {
      problems_.Note(list == nullptr ? "missing" : "wrong_type", path, "must be an array of options");
      return {};
    }
    if (list->elements.size() < kMinOptions || list->elements.size() > kMaxOptions) {
      problems_.Note("number_of_options", path,
                     fmt::format("there must be {} to {} options", kMinOptions, kMaxOptions));
    }
    std::vector<SelectOption> options;
    std::set<std::string> labels;
    for (std::size_t i = 0; i < list->elements.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", path, i);
      const JsonNode& node = list->elements[i];
      if (!problems_.IsObject(node, where, {"label", "description", "preview"})) continue;
      const auto label = problems_.Text(node, where, "label");
      if (!label) continue;
      if (!labels.insert(*label).second) {
        problems_.Note("duplicate_label", where + ".label", "is the label of an earlier option");
      }
      problems_.RefuseOther(*label, where + ".label");
      options.push_back(
          {JsonString(*label), problems_.Text(node, where, "description", true), ParsePreview(node, where)});
    }
    return options;
  }

  Json ParsePreview(const JsonNode& node, const std::string& path) {
    const auto preview = problems_.Text(node, path, "preview", true);
    return preview ? Json::FromTrusted(fmt::format(R"({{"preview":{}}})", JsonString(*preview).text())) : Json();
  }

  SubmissionReader problems_;
  std::set<std::string> texts_;
};

}  // namespace

std::expected<std::vector<Question>, std::vector<SubmissionProblem>> ParseUserQuestions(const Json& arguments) {
  const Json none = Json::FromTrusted("{}");
  return QuestionsParser().Parse(ParseTree(arguments.empty() ? none : arguments));
}

}  // namespace turnlog
