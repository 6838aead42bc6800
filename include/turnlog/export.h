// Taking histories out, as they are in the log. What was imported and not changed goes out byte by byte as it came in.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// One folder per conversation in `to`, in jp's layout; archived ones in `to`/.archive. A folder that is there already
// and not empty is refused, and none is left half-written. Stops at the first conversation that fails.
Status ExportJp(Log& log, std::span<const ConversationId> conversations, const std::filesystem::path& to);

// Takes the next piece of the output; an error ends the export.
using ExportSink = std::function<Status(std::string_view piece)>;

// One event per line with its conversation and seq. Memory: one event and a buffer.
Status ExportJsonl(Log& log, std::span<const ConversationId> conversations, const ExportSink& sink);

}  // namespace turnlog
