// Exports conversations as folders of jp.
#pragma once

#include "turnlog/migrate/export.h"

namespace turnlog {

Status ExportJp(Log& log, const ConversationId& conversation, const std::filesystem::path& to,
                const ExportOptions& options, ExportReport& report);

}  // namespace turnlog
