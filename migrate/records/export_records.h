// Exports a conversation that was imported by a RecordSource as the file that it came from.
#pragma once

#include <string_view>

#include "turnlog/migrate/export.h"

namespace turnlog {

// Byte for byte, unless something was redacted or erased: a redacted text appears in its redacted form if its record
// can still be written, and a record that has lost its original text is left out. Events that were appended in the log
// are left out, too. kInvalidArgument: the conversation was not imported from `format`, or `options` asks for the
// sanitized view.
Status ExportRecords(Log& log, std::string_view format, const ConversationId& conversation, const ExportSink& sink,
                     const ExportOptions& options, ExportReport& report);

// The same, for the table of a format.
template <const std::string_view& kFormat>
Status ExportRecordsOf(Log& log, const ConversationId& conversation, const ExportSink& sink,
                       const ExportOptions& options, ExportReport& report) {
  return ExportRecords(log, kFormat, conversation, sink, options, report);
}

}  // namespace turnlog
