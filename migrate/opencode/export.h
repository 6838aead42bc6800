// Exports a conversation that was imported from opencode.
#pragma once

#include "migrate/format.h"

namespace turnlog {

// As the files that it came from: a document, the tree of files of its storage, or the rows of a database, one a line.
Status ExportOpencode(Log& log, const ConversationId& conversation, const std::filesystem::path& to,
                      const ExportOptions& options, ExportReport& report);

// Writes the document of `opencode export`, made of the sanitized view.
Status ExportOpencodeDocument(Log& log, const ConversationId& conversation, const ExportSink& sink,
                              const ExportOptions& options, ExportReport& report);

}  // namespace turnlog
