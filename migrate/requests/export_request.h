// Exports a conversation as the body of a request to a model provider.
#pragma once

#include "turnlog/migrate/export.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

// The sanitized view; what the provider would refuse in it is changed and counted in the report. kCorruption: an event
// is damaged, and what the model should see is not known. Memory: one turn, the ids of all calls.
Status ExportRequest(Log& log, Provider provider, const ConversationId& conversation, const ExportSink& sink,
                     const ExportOptions& options, ExportReport& report);

}  // namespace turnlog
