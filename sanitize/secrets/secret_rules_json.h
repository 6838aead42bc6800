#pragma once

#include <string_view>

namespace turnlog {

// secret_rules.json, as it was when this was built.
extern const std::string_view kSecretRulesJson;

}  // namespace turnlog
