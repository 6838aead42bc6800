// Escaped lone surrogates in JSON texts: other programs read them, and JSON itself is sound but for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/json/json_scan.h"

namespace turnlog {

// The text with the escape of U+FFFD in place of each, and everything else where it was. Nothing if the fault is
// something else.
std::optional<std::string> WithoutLoneSurrogates(std::string_view text, const JsonFault& fault);

}  // namespace turnlog
