// Whether a JSON value is what a JSON schema asks for, as far as questions need it: type, enum, const, properties,
// required, additionalProperties, items, minItems, maxItems, uniqueItems, minLength, maxLength, minimum, maximum,
// exclusiveMinimum, exclusiveMaximum, allOf, anyOf, oneOf, not, and true and false. Other keywords ($ref, pattern,
// format, ...) are not looked at.
#pragma once

#include <optional>
#include <string>

#include "inquiry/json_tree.h"

namespace turnlog {

// What is wrong with the value, beginning with `path`, e.g. "answer.port: must be an integer"; none if nothing is.
// Names fields, never quotes values.
std::optional<std::string> FindSchemaFault(const JsonNode& schema, const JsonNode& value, const std::string& path);

}  // namespace turnlog
