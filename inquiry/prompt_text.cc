#include "turnlog/inquiry/prompt_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "inquiry/safe_text.h"
#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kForm = "form", kRejected = "rejected";
constexpr std::size_t kReasonLimit = 1000;
constexpr std::size_t kModelLimit = 200;

// What `read` makes of the object under this name.
template <class Value>
std::optional<Value> Find(const Question& question, std::string_view name, Value (*read)(const JsonNode& object)) {
  if (question.extra.empty()) return std::nullopt;
  const JsonNode extra = ParseTree(question.extra);
  const JsonNode* const object = extra.Find(name);
  return object != nullptr && object->is(Kind::kObject) ? std::optional(read(*object)) : std::nullopt;
}

Question With(Question question, std::string_view name, const Json& object) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  if (!question.extra.empty()) json.Fields(JsonView::FromTrusted(question.extra.text()));
  json.Field(name, JsonView::FromTrusted(object.text()));
  json.EndObject();
  question.extra = Json::FromTrusted(std::move(out));
  return question;
}

// 0 if it is none.
std::uint64_t CountOf(const JsonNode* number) {
  return number != nullptr && number->is(Kind::kNumber) ? std::strtoull(std::string(number->text).c_str(), nullptr, 10)
                                                        : 0;
}

std::optional<std::string> TextOf(const JsonNode* text) {
  return text != nullptr && text->is(Kind::kString) ? std::optional(text->string) : std::nullopt;
}

}  // namespace

std::optional<FormProgress> FindFormProgress(const Question& question) {
  return Find<FormProgress>(question, kForm, [](const JsonNode& form) {
    return FormProgress{CountOf(form.Find("question")), CountOf(form.Find("of"))};
  });
}

Question WithFormProgress(Question question, const FormProgress& progress) {
  return With(std::move(question), kForm,
              Json::FromTrusted(fmt::format(R"({{"question":{},"of":{}}})", progress.question, progress.of)));
}

std::optional<AssistantRejection> FindRejection(const Question& question) {
  return Find<AssistantRejection>(question, kRejected, [](const JsonNode& rejected) {
    return AssistantRejection{TextOf(rejected.Find("reason")).value_or(""), TextOf(rejected.Find("model"))};
  });
}

Question WithRejection(Question question, const AssistantRejection& rejection) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Field("reason", rejection.reason);
  json.OptionalField("model", rejection.model);
  json.EndObject();
  return With(std::move(question), kRejected, Json::FromTrusted(std::move(out)));
}

std::string AskerText(SourceKind kind, std::string_view name) {
  switch (kind) {
    case SourceKind::kTool:
      return fmt::format("tool {}", name);
    case SourceKind::kAssistant:
      return "assistant";
    case SourceKind::kUser:
      return "user";
    case SourceKind::kOther:
      break;
  }
  return std::string(name);
}

std::string PromptText(const Question& question) {
  std::string text;
  if (const auto rejection = FindRejection(question)) {
    const std::string model = rejection->model ? fmt::format(" ({})", SafeLine(*rejection->model, kModelLimit)) : "";
    text = fmt::format("The assistant{} recommended to say no:\n\"{}\"\n\n", model,
                       SafeLine(rejection->reason, kReasonLimit));
  }
  const auto progress = FindFormProgress(question);
  if (progress && progress->of > 1) text += fmt::format("[{}/{}] ", progress->question, progress->of);
  return text + question.text;
}

}  // namespace turnlog
