// Texts without the values that are in them: "[redacted]" stands where they were.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/secret_matcher.h"

namespace turnlog {

inline constexpr std::string_view kRedactionMark = "[redacted]";

// `spans` in order, none touching another.
std::string ReplaceInText(std::string_view text, std::span<const TextSpan> spans);

// The same in valid JSON, which stays valid: within strings the value goes, numbers and words become the string
// "[redacted]", brackets and commas stay.
std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans);

// What has to go from a text, in order, none touching another.
using FindSpans = std::function<std::vector<TextSpan>(std::string_view text)>;

// As often as something is left: what is put in may complete another value. Empty if there was nothing to find.
std::optional<std::string> RedactText(const FindSpans& find, std::string_view text);
std::optional<std::string> RedactJson(const FindSpans& find, std::string_view json);
std::optional<std::string> RedactText(const SecretMatcher& finder, std::string_view text);
std::optional<std::string> RedactJson(const SecretMatcher& finder, std::string_view json);

}  // namespace turnlog
