// JSON schema as answers need it: draft 7 with `$defs` beside `definitions`, and references within the schema itself.
// A schema is checked when it is submitted (FindSchemaProblem), so that every keyword in it holds. docs/inquiries.md
// lists them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/json/json_tree.h"

namespace turnlog {

// Why it is no schema that can be checked, with where in it; none if it is one.
std::optional<std::string> FindSchemaProblem(const JsonNode& schema);

// What is wrong with the value, beginning with `path`, e.g. "answer.port: must be an integer"; none if nothing is.
// Names fields, never quotes values. REQUIRES: a schema without problem.
std::optional<std::string> FindSchemaFault(const JsonNode& schema, const JsonNode& value, const std::string& path);

// Where a reference within the schema leads; null if nowhere.
const JsonNode* ResolveReference(const JsonNode& root, std::string_view reference);

}  // namespace turnlog
