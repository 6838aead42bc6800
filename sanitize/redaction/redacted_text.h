// Replaces values in texts by "[redacted]".
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

// REQUIRES: `spans` are in order and do not touch.
std::string ReplaceInText(std::string_view text, std::span<const TextSpan> spans);

// The same in valid JSON, which stays valid: values within strings are replaced, numbers and words become the string
// "[redacted]", brackets and commas stay.
std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans);

// Finds what to remove from a text: spans in order that do not touch.
using FindSpans = std::function<std::vector<TextSpan>(std::string_view text)>;

// Repeats until nothing is found: a replacement may complete another value. Nothing if there was nothing to find.
std::optional<std::string> RedactText(const FindSpans& find, std::string_view text);
std::optional<std::string> RedactJson(const FindSpans& find, std::string_view json);
std::optional<std::string> RedactText(const SecretMatcher& finder, std::string_view text);
std::optional<std::string> RedactJson(const SecretMatcher& finder, std::string_view json);

}  // namespace turnlog
