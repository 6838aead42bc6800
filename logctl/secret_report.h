// What was found, by secret: what people need to know to revoke each of them. Never prints a value.
#pragma once

#include "logctl/command.h"
#include "logctl/json_document.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// `explain`: with why each one is taken for a secret.
void PrintSecrets(Output& out, const RedactionPlan& plan, bool explain);
void AddSecrets(JsonDocument& json, const RedactionPlan& plan, bool explain);

}  // namespace turnlog
