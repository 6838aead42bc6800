// Every occurrence of secret values in a text, however it is written: plain, with any of its characters escaped as in
// JSON or in URLs (also several times over), in base64 at any place within a longer base64 text, and combinations of
// these.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/layers.h"
#include "sanitize/secrets/literal_finder.h"

namespace turnlog {

// Why a value is not to be looked for outside of its own place, in words that do not quote it; nothing if it can be.
// Short and common values stand in too many places that have nothing to do with the secret.
std::optional<std::string_view> WhyNotSearchable(std::string_view value);

// The values are wiped with it. Any thread at any time.
class SecretMatcher {
 public:
  // Leaves out those that are not searchable.
  explicit SecretMatcher(std::span<const SecretString> values);

  bool empty() const { return value_of_.empty(); }
  // What has to go from `text`, in order, none touching another.
  std::vector<TextSpan> Find(std::string_view text) const;
  // The same with the indexes of the values that are there, for those who want to know which; in order, each once.
  std::vector<std::size_t> FindValues(std::string_view text) const;

 private:
  void Add(std::string_view form, std::size_t value);
  void AddForms(std::string_view text, std::size_t value);

  std::vector<SecretString> forms_;
  std::vector<std::size_t> value_of_;                  // for each form
  LayerOptions layers_{.min_bytes = ~std::size_t{0}};  // of the shortest form
  std::optional<LiteralFinder> finder_;
};

}  // namespace turnlog
