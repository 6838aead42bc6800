// Exports events as JSON lines.
#pragma once

#include "turnlog/migrate/export.h"

namespace turnlog {

Status ExportJsonl(Log& log, const ConversationId& conversation, const ExportSink& sink, const ExportOptions& options,
                   ExportReport& report);

}  // namespace turnlog
