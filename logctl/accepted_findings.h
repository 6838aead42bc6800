// A file of findings that are known to be no secrets: one per line, "RULE SEQ CONVERSATION" for events, and "RULE LINE
// FILE" for files; "#" begins a comment.
#pragma once

#include <string>
#include <vector>

#include "logctl/errors.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {

Expected<std::vector<AcceptedFinding>> ReadAcceptedFindings(const std::string& path);
// Whether it is in the name of its conversation.
bool HoldsNameSecret(const AcceptedFinding& finding);
// What was found, to be accepted from now on, and what was accepted before. An existing file is replaced. It is private
// if the name of a conversation holds a secret.
Expected<void> WriteAcceptedFindings(const std::string& path, const std::vector<AcceptedFinding>& found,
                                     const std::vector<AcceptedFinding>& before);

// The same for the findings of a scan. Files are named as in the report.
Expected<void> RemoveAcceptedSecrets(const std::string& path, SecretScanReport& report);
Expected<void> WriteAcceptedSecrets(const std::string& path, const SecretScanReport& report);

}  // namespace turnlog
