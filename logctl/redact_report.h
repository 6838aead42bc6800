// The plan, the result and the proof of a redaction, as text and as JSON. Never prints a value.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "logctl/command.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/sql_log.h"

namespace turnlog {

// Warnings on standard error. `names`: of the given values, see GivenValues.
void WarnAbout(Messages& messages, const RedactionPlan& plan, std::span<const std::string> names);

// What text lists: the conversations, the secrets, or these with why each is one. JSON has both, and why if that is
// asked for.
enum class RedactionDetail : std::uint8_t { kConversations, kSecrets, kExplained };

void PrintPlan(const Context& context, const RedactionPlan& plan, RedactionDetail report);
// `copies`: outside of the store, which JSON lists.
void PrintRedaction(const Context& context, const RedactionPlan& plan, const RedactionProof& proof,
                    std::span<const KeptCopy> copies, RedactionDetail report);

}  // namespace turnlog
