// A file of findings that are known to be no secrets: one per line, "RULE SEQ CONVERSATION"; "#" begins a comment.
#pragma once

#include <string>
#include <vector>

#include "logctl/errors.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

Expected<std::vector<AcceptedFinding>> ReadAcceptedFindings(const std::string& path);
// What the plan's rules found, to be accepted from now on. An existing file is replaced.
Expected<void> WriteAcceptedFindings(const std::string& path, const RedactionPlan& plan);

}  // namespace turnlog
