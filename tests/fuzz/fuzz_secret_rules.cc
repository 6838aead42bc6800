// Any text as a file of detection rules: refused with its name in front, or rules of which no two have the same id.
#include <set>
#include <string>
#include <string_view>

#include "sanitize/secrets/secret_rules.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = ParseSecretRules(text, "rules.json", {});
  if (!rules) {
    Require(rules.error().message.starts_with("rules.json"));
    return 0;
  }
  std::set<std::string> ids;
  for (const SecretRule& rule : rules->rules) Require(!rule.id.empty() && ids.insert(rule.id).second);
  // The same file again replaces its own rules by themselves.
  const auto again = ParseSecretRules(text, "rules.json", *rules);
  Require(again && again->rules.size() == rules->rules.size());
  return 0;
}
