// A tool as an agent hands it to its model provider.
#pragma once

#include <string_view>

namespace turnlog {

struct ToolDefinition {
  std::string_view name;
  std::string_view description;
  std::string_view schema;  // JSON schema of its arguments, an object
};

}  // namespace turnlog
