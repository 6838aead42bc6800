// What a redaction did, or would do, and its proof: for people and for programs. Never a value.
#pragma once

#include "logctl/command.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// What is worth a warning, on standard error.
void WarnOf(Messages& messages, const RedactionPlan& plan);

// What would be done.
void PrintPlan(const Context& context, const RedactionPlan& plan);
// What was done, and the proof.
void PrintReceipt(const Context& context, const RedactionPlan& plan, const RedactionReceipt& receipt);

}  // namespace turnlog
