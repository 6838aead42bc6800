// Texts without the values that are in them: "[redacted]" stands where they were.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sanitize/echoes.h"
#include "sanitize/reading.h"

namespace turnlog {

inline constexpr std::string_view kRedacted = "[redacted]";

// `spans` in order, none touching another.
std::string ReplaceInText(std::string_view text, std::span<const TextSpan> spans);

// The same in valid JSON, which stays valid: within strings the value goes, numbers and words become the string
// "[redacted]", brackets and commas stay.
std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans);

// As often as something is left: what is put in may complete another value. Empty if there was nothing to find.
std::optional<std::string> RedactText(const EchoFinder& finder, std::string_view text);
std::optional<std::string> RedactJson(const EchoFinder& finder, std::string_view json);

}  // namespace turnlog
