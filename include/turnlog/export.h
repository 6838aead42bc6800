// Taking histories out: the sanitized view, or the log itself. What was imported and neither changed nor repaired goes
// out byte by byte as it came in.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct ExportOptions {
  bool raw = false;  // the log itself, without its repairs
};

// One folder per conversation in `to`, in jp's layout; archived ones in `to`/.archive. A folder that is there already
// and not empty is refused, and none is left half-written. Stops at the first conversation that fails.
Status ExportJp(Log& log, std::span<const ConversationId> conversations, const std::filesystem::path& to,
                const ExportOptions& options = {});

// Takes the next piece of the output; an error ends the export.
using ExportSink = std::function<Status(std::string_view piece)>;

// One event per line with its conversation and seq. The events of a sanitized view are numbered anew, as what it will
// be where it is imported. Memory: one event and a buffer.
Status ExportJsonl(Log& log, std::span<const ConversationId> conversations, const ExportSink& sink,
                   const ExportOptions& options = {});

}  // namespace turnlog
