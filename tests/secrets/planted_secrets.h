// Texts in which the built-in rules find a secret.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace turnlog {

// A text in which a rule finds something, and the part that is the secret.
struct PlantedSecret {
  std::string rule;
  std::string before, secret, after;
  std::string text() const { return before + secret + after; }
};

// One or more for each built-in rule.
std::vector<PlantedSecret> PlantedSecrets(std::uint32_t seed);

}  // namespace turnlog
