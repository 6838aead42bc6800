// A redaction between client and service: what it is to remove, and everything that its report says.
#pragma once

#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/result.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog {

// The body of the request that begins the job. Values may be any bytes, and are sent as base64.
SecretString RedactionJob(const RedactionTargets& targets, std::string_view by);

// {"plan","proof"}, without the proof of a redaction that was only planned.
std::string ToJson(const RedactionPlan& plan, const RedactionProof* proof);
// The plan of either. kIo: this is not understood.
Result<RedactionPlan> ReadRedactionPlan(std::string_view json);
// kIo: this is not understood.
Result<RemoteRedaction> ReadRedaction(std::string_view json);

}  // namespace turnlog
