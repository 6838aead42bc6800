#pragma once

#include <string_view>

namespace turnlog {

// Well-formed UTF-8 by RFC 3629: no overlong forms, no surrogates. For short texts; schema/ checks long ones faster.
bool IsUtf8(std::string_view text);

}  // namespace turnlog
