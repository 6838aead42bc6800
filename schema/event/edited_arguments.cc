#include "turnlog/edited_arguments.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::string_view kArguments = "edited_arguments";

std::string HashOf(std::string_view tool, std::string_view arguments) {
  const Hash128 hash = HashId(arguments.empty() ? "{}" : arguments, Hash64(tool));
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace

std::string ArgumentsHash(std::string_view tool, const Json& arguments) { return HashOf(tool, arguments.text()); }
std::string ArgumentsHash(std::string_view tool, const JsonView& arguments) { return HashOf(tool, arguments.text()); }

Json EditedArgumentsMetadata(std::string_view tool, const Json& arguments) {
  std::string compact, out;
  AppendCompact(arguments.empty() ? "{}" : arguments.text(), compact);
  JsonWriter json(out);
  json.StartObject();
  json.Field(kArguments, JsonView::FromTrusted(compact));
  json.Field(kArgumentsHash, HashOf(tool, compact));
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

JsonView FindEditedArguments(const JsonView& metadata) {
  const auto field = FindJsonField(metadata.text(), kArguments);
  return field ? JsonView::FromTrusted(field->value) : JsonView();
}

JsonView FindIntactEditedArguments(std::string_view tool, const JsonView& metadata) {
  const JsonView arguments = FindEditedArguments(metadata);
  const bool intact =
      !arguments.empty() && FindJsonString(metadata.text(), kArgumentsHash) == HashOf(tool, arguments.text());
  return intact ? arguments : JsonView();
}

}  // namespace turnlog
