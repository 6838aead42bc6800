#include "turnlog/inquiry/target.h"

#include <array>
#include <set>
#include <utility>

#include "base/try.h"
#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::array<std::string_view, 3> kNames{"user", "assistant", "assistant_with_escalation"};  // by TargetKind

std::unexpected<Error> Invalid(std::string_view field, std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "target" + std::string(field) + ": " + std::string(what)});
}

Result<Target> FromName(std::string_view name) {
  for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
    if (name == kNames[kind]) return Target{.kind = static_cast<TargetKind>(kind), .settings = {}, .answer = {}};
  }
  return Invalid("", R"(no such name; there are "user", "assistant" and "assistant_with_escalation")");
}

Status CheckFields(const JsonNode& map) {
  std::set<std::string_view> seen;
  for (const JsonNode& field : map.fields) {
    const std::string& name = field.key;
    const bool known = name == "escalation" || name == "model" || name == "answer" || name == "question";
    if (!seen.insert(name).second)
      return known ? Invalid("." + name, "given twice") : Invalid("", "a field is given twice");
  }
  return {};
}

Status CheckModel(const JsonNode& map) {
  const JsonNode* const model = map.Find("model");
  if (model == nullptr || model->is(Kind::kString)) return {};
  if (!model->is(Kind::kObject)) return Invalid(".model", "must be a string or an object");
  const JsonNode* const id = model->Find("id");
  return id == nullptr || id->is(Kind::kString) ? Status() : Invalid(".model.id", "must be a string");
}

// The map without `escalation`; none if nothing else is in it.
Json Settings(const JsonNode& map) {
  std::string out;
  JsonWriter json(out);
  bool any = false;
  json.StartObject();
  for (const JsonNode& field : map.fields) {
    if (field.key == "escalation") continue;
    json.Key(field.key), json.Raw(field.text);
    any = true;
  }
  json.EndObject();
  return any ? Json::FromTrusted(std::move(out)) : Json();
}

Result<Target> FromMap(const JsonNode& map) {
  TURNLOG_TRY(CheckFields(map));
  if (const JsonNode* const answer = map.Find("answer")) {
    const JsonNode* const question = map.Find("question");
    if (question != nullptr && !question->is(Kind::kString)) return Invalid(".question", "must be a string");
    if (map.fields.size() > (question == nullptr ? 1U : 2U)) {
      return Invalid(".answer", "may be given with `question` only");
    }
    return Target{
        TargetKind::kStatic, {}, answer->json(), question == nullptr ? std::nullopt : std::optional(question->string)};
  }
  TURNLOG_TRY(CheckModel(map));
  const JsonNode* const escalation = map.Find("escalation");
  if (escalation != nullptr && !escalation->is(Kind::kBool)) return Invalid(".escalation", "must be true or false");
  const bool escalates = escalation != nullptr && escalation->is_true();
  return Target{.kind = escalates ? TargetKind::kAssistantWithEscalation : TargetKind::kAssistant,
                .settings = Settings(map),
                .answer = {}};
}

Json MapOf(const Target& target) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  if (target.kind == TargetKind::kStatic) json.Field("answer", JsonView::FromTrusted(target.answer.text()));
  json.OptionalField("question", target.question);
  json.Fields(JsonView::FromTrusted(target.settings.text()));
  if (target.kind == TargetKind::kAssistantWithEscalation) json.Key("escalation"), json.Bool(true);
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

}  // namespace

std::optional<std::string> Target::model() const {
  if (settings.empty()) return std::nullopt;
  const JsonNode map = ParseTree(settings);
  const JsonNode* model = map.Find("model");
  if (model != nullptr && model->is(Kind::kObject)) model = model->Find("id");
  return model != nullptr && model->is(Kind::kString) ? std::optional(model->string) : std::nullopt;
}

Result<Target> ParseTarget(std::string_view json) {
  const auto value = ParseJson(json);
  if (!value) return Invalid("", value.error().message);
  const JsonNode node = ParseTree(*value);
  if (node.is(Kind::kString)) return FromName(node.string);
  if (node.is(Kind::kObject)) return FromMap(node);
  return Invalid("", "must be a string or an object");
}

Json ToJson(const Target& target) {
  if (target.kind == TargetKind::kStatic || !target.settings.empty()) return MapOf(target);
  return JsonString(kNames[static_cast<std::size_t>(target.kind)]);
}

}  // namespace turnlog
