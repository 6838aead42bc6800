// Texts of a given shape, generated at run time so that the sources contain no secret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/secrets/fake_secrets.h"

namespace turnlog {

// A shape is a sequence of letters and [classes], each followed by {count} or not: "ghp_[0-9A-Za-z]{36}".
std::string Sample(std::string_view shape, FakeSecrets& fake);

// How the keys of a provider look, from its documentation.
struct KeyShape {
  const char* rule;
  const char* shape;
};

// Of the rules that find a key by its shape, wherever it is; some have several.
const std::vector<KeyShape>& KeyShapes();

// Model providers whose keys are only known by a name: the name, and the shape of the value.
struct NamedKeyShape {
  const char* rule;
  const char* name;
  const char* shape;
};
const std::vector<NamedKeyShape>& NamedKeyShapes();

// A way of writing a value: with {n} for a name and {v} for the value.
const std::vector<std::string>& Contexts();
std::string WriteIn(std::string_view context, std::string_view name, std::string_view value);

}  // namespace turnlog
