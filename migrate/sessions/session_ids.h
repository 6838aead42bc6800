// Ids and times in the sessions that turnlog writes.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/types.h"

namespace turnlog {

// A UUID that is made of `text` alone (version 8 of RFC 9562).
std::string DerivedUuid(std::string_view text);

// With milliseconds, as tools write it: 2026-01-02T03:04:05.678Z
std::string MillisecondTime(Timestamp time);

}  // namespace turnlog
