// Underscores with which Markdown emphasizes: `_token_`, `__token__`. To an expression they are letters of the token.
#pragma once

#include <optional>
#include <string_view>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// The token in a run of letters that may be in tokens, if underscores are around it; an empty span if not.
TextSpan EmphasizedToken(std::string_view run);

// The text with blanks for the underscores around each token of 16 letters or more; none if there is no such token.
std::optional<SecretString> WithoutEmphasis(std::string_view text);

}  // namespace turnlog
