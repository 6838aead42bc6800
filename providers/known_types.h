// Which APIs have a type of block, part or item.
#pragma once

#include "providers/findings.h"

namespace turnlog {

// Adds a finding if the block has a type that only other APIs have. One that no API is known to have is accepted: new
// ones appear every month.
void CheckType(Provider provider, const JsonNode& block, Findings& findings);
// The same, also if there is no type.
void RequireType(Provider provider, const JsonNode& block, Findings& findings);

}  // namespace turnlog
