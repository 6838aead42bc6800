// A schema as a part of another one.
#pragma once

#include <string>

#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"

namespace turnlog {

// What the schema defines, as fields of the object that is being written: the root of the one that it becomes part of,
// so that references to it stay as they are, as providers of models want them.
void AppendDefinitions(const JsonNode& schema, const std::string& root, JsonWriter& json);
// The schema without those; its other references lead to its new location `root`, e.g. "/properties/answer".
void AppendNested(const JsonNode& schema, const std::string& root, JsonWriter& json);

}  // namespace turnlog
