#include "sanitize/redaction/arguments_hashes.h"

#include <string.h>  // NOLINT(modernize-deprecated-headers): memmem

#include <variant>

#include "base/secret_string.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "turnlog/edited_arguments.h"

namespace turnlog {

std::vector<std::string> HashesOfChanged(const EventView& before, const EventView& after) {
  if (const auto* call = std::get_if<ToolCallRequestView>(&before.body)) {
    const std::string_view arguments = call->arguments.text();
    if (std::get<ToolCallRequestView>(after.body).arguments.text() == arguments) return {};
    std::string compact;  // what Codex is asked to call again with
    compact.reserve(arguments.size());
    AppendCompact(arguments, compact);
    std::vector<std::string> hashes{ArgumentsHash(call->name, call->arguments),
                                    ArgumentsHash(call->name, JsonView::FromTrusted(compact))};
    Wipe(compact);
    return hashes;
  }
  const JsonView arguments = FindEditedArguments(before.metadata);
  if (arguments.empty() || FindEditedArguments(after.metadata).text() == arguments.text()) return {};
  auto hash = FindJsonString(before.metadata.text(), kArgumentsHash);
  return hash ? std::vector{*std::move(hash)} : std::vector<std::string>();
}

bool MayHaveArgumentsHash(const Record& record) {
  return ::memmem(record.payload.data(), record.payload.size(), kArgumentsHash.data(), kArgumentsHash.size()) !=
         nullptr;
}

}  // namespace turnlog
