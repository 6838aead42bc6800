// Times as jp writes them: "2026-03-18 13:19:06.841464", UTC, with at least one fraction digit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/types.h"

namespace turnlog {

// Accepts all forms that jp accepts: one-digit parts, blanks between them, an optional fraction, and RFC 3339.
std::optional<Timestamp> ParseJpTime(std::string_view text);

// The form that jp writes.
std::string FormatJpTime(Timestamp time);

}  // namespace turnlog
