// Exports a conversation through a writer of its dialogue.
#pragma once

#include <memory>

#include "migrate/requests/step_writer.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

// The sanitized view, in a form that providers accept: what they would refuse is changed and counted in the report.
// kCorruption: an event is damaged, and what the model should see is not known.
// kInvalidArgument: nothing was said. Memory: one turn, the ids of all calls.
Status ExportDialogue(Log& log, std::unique_ptr<StepWriter> writer, const ConversationId& conversation,
                      const ExportSink& sink, const ExportOptions& options, ExportReport& report);

}  // namespace turnlog
