// The plan, the result and the proof of a redaction, as text and as JSON. Never prints a value.
#pragma once

#include <span>
#include <string>

#include "logctl/command.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// Warnings on standard error. `names`: of the given values, see GivenValues.
void WarnAbout(Messages& messages, const RedactionPlan& plan, std::span<const std::string> names);

// `by_secret`: text lists the secrets instead of the conversations. JSON always has both.
void PrintPlan(const Context& context, const RedactionPlan& plan, bool by_secret);
void PrintReceipt(const Context& context, const RedactionPlan& plan, const RedactionReceipt& receipt, bool by_secret);

}  // namespace turnlog
