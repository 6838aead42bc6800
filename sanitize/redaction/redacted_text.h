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

// Finds what to remove from a text: spans in order that do not touch.
using FindSpans = std::function<std::vector<TextSpan>(std::string_view text)>;

// Nothing if there was nothing to find. They repeat until nothing is found: a replacement may complete another value.
//
// Valid JSON stays valid and keeps its types, because tools and providers check them: in strings values are replaced;
// numbers become 0 and words false or null; keys that become equal are numbered: "[redacted]#2". What a sealed value
// belongs to is removed with it (see WithoutBlocks). So it is for JSON that is a text, a line of a text, or a string
// within JSON.
std::optional<std::string> RedactText(const FindSpans& find, std::string_view text);
std::optional<std::string> RedactJson(const FindSpans& find, std::string_view json);
std::optional<std::string> RedactText(const SecretMatcher& finder, std::string_view text);
std::optional<std::string> RedactJson(const SecretMatcher& finder, std::string_view json);

}  // namespace turnlog
