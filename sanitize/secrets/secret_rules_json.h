#pragma once

#include <string_view>

namespace turnlog {

// The contents of secret_rules.json at build time.
extern const std::string_view kSecretRulesJson;

}  // namespace turnlog
