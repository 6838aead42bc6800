// Finds every occurrence of secret values in a text, in any encoding that docs/redaction.md lists: plain, with
// characters escaped as in JSON, URLs or HTML (also repeatedly), in base64 at any offset of a longer base64 text, also
// compressed, in hexadecimal digits, in UTF-16, split over lines, and combinations of these.
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

// Why a value is not searched for outside of its source event, in words that do not quote it; nothing if it is. Short
// and common values occur in too many texts that have nothing to do with the secret.
std::optional<std::string_view> WhyNotSearchable(std::string_view value);

// Wipes the values at the end. Any thread may use it.
class SecretMatcher {
 public:
  // Ignores values that are not searchable.
  explicit SecretMatcher(std::span<const SecretString> values);

  bool empty() const { return value_of_.empty(); }
  // What to remove from `text`: spans in order that do not touch.
  std::vector<TextSpan> Find(std::string_view text) const;
  // The indexes of the values that occur in `text`, in order, each once.
  std::vector<std::size_t> FindValues(std::string_view text) const;

 private:
  LayerOptions Options() const;
  void Add(std::string_view form, std::size_t value, bool is_number);
  void AddText(std::string_view form, std::size_t value);
  void AddForms(std::string_view text, std::size_t value);
  void AddLines(std::string_view text, std::size_t value);
  void AddKey(std::string_view text);
  void AddEncodings(std::string_view text, std::size_t value);
  bool IsWhole(std::size_t form, std::string_view text, TextSpan span) const;
  std::optional<TextSpan> WholeKey(std::string_view text, TextSpan line) const;

  std::vector<SecretString> forms_;
  std::vector<std::size_t> value_of_;                 // for each form
  std::vector<bool> is_number_;                       // for each form
  std::vector<SecretString> keys_;                    // the letters of private keys in text form
  LayerOptions layers_{.min_bytes = ~std::size_t{0},  // of the shortest form
                       .ascii_only = true,
                       .utf16 = true,
                       .thorough = true,
                       .plain_escapes_at_hits = true};
  LetterGrams grams_;
  std::optional<EscapedJoins> escaped_joins_;  // of the grams
  std::optional<LiteralFinder> finder_;
};

}  // namespace turnlog
