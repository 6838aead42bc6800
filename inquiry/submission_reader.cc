#include "inquiry/submission_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "schema/json/json_writer.h"

namespace turnlog {

using Kind = JsonNode::Kind;

namespace {

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

Json ToJson(std::span<const SubmissionProblem> problems) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Field("error", "invalid_questions");
  json.Key("problems"), json.StartArray();
  for (const SubmissionProblem& problem : problems) {
    json.StartObject();
    json.Field("code", problem.code);
    json.Field("path", problem.path);
    json.Field("message", problem.message);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

const std::vector<JsonNode>* SubmissionReader::Questions(const JsonNode& arguments) {
  if (!IsObject(arguments, "", {"questions"})) return nullptr;
  const JsonNode* const questions = arguments.Find("questions");
  if (questions == nullptr || !questions->is(Kind::kArray)) {
    Note(questions == nullptr ? "missing" : "wrong_type", "questions", "must be an array of questions");
    return nullptr;
  }
  if (questions->elements.empty()) Note("empty", "questions", "there must be at least one question");
  return &questions->elements;
}

bool SubmissionReader::IsObject(const JsonNode& node, const std::string& path,
                                std::initializer_list<std::string_view> fields) {
  if (!node.is(Kind::kObject)) {
    Note("wrong_type", path, "must be an object");
    return false;
  }
  std::set<std::string_view> seen;
  const std::string dot = path.empty() ? "" : path + ".";
  for (const JsonNode& field : node.fields) {
    const std::string& name = field.key;
    if (std::ranges::find(fields, name) == fields.end()) {
      Note("unknown_field", path, fmt::format("has a field that is none of: {}", fmt::join(fields, ", ")));
    } else if (!seen.insert(name).second) {
      Note("duplicate_field", dot + name, "is given twice");
    }
  }
  return true;
}

std::optional<std::string> SubmissionReader::Text(const JsonNode& object, const std::string& path,
                                                  std::string_view field, bool optional) {
  const JsonNode* const node = object.Find(field);
  const std::string where = fmt::format("{}.{}", path, field);
  if (node == nullptr) {
    if (!optional) Note("missing", where, "is missing");
  } else if (!node->is(Kind::kString)) {
    Note("wrong_type", where, "must be a string");
  } else if (IsBlank(node->string)) {
    Note("empty", where, "must not be empty");
  } else {
    return node->string;
  }
  return std::nullopt;
}

void SubmissionReader::RefuseOther(std::string_view label, const std::string& path) {
  constexpr std::string_view kOther = "other";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  if (!std::ranges::equal(label, kOther, {}, lower)) return;
  Note("reserved_option", path, "is offered by itself: leave it out, the user may always give another answer");
}

std::vector<SelectOption> SubmissionReader::Options(const JsonNode& list, const std::string& path) {
  std::vector<SelectOption> options;
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const std::string where = fmt::format("{}[{}]", path, i);
    auto option = Option(list.elements[i], where);
    if (!option) continue;
    const auto same = [&](const SelectOption& earlier) { return SameValue(earlier.value, option->value); };
    if (std::ranges::any_of(options, same)) Note("duplicate_option", where, "is the same as an earlier option");
    options.push_back(*std::move(option));
  }
  return options;
}

std::optional<SelectOption> SubmissionReader::Option(const JsonNode& node, const std::string& path) {
  if (node.is(Kind::kString)) return SelectOption{node.json(), {}, {}};
  if (!IsObject(node, path, {"value", "description"})) return std::nullopt;
  const JsonNode* const value = node.Find("value");
  if (value == nullptr) Note("missing", path + ".value", "is missing");
  std::optional<std::string> description = Text(node, path, "description", true);
  return value == nullptr ? std::nullopt : std::optional(SelectOption{value->json(), std::move(description), {}});
}

}  // namespace turnlog
