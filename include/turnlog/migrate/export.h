// Exporting histories: the sanitized view, or the log itself. What was imported and neither changed nor repaired is
// written byte by byte as it was imported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct ExportOptions {
  bool raw = false;  // the log itself, without its repairs
};

// A conversation that was not exported at all.
struct ExportFailure {
  std::string conversation;
  Error error;
};

struct ExportReport {
  std::uint64_t conversations = 0;  // exported, whole or but for `damage`
  std::vector<Damage> damage;       // left out; the intact events around it were exported
  std::vector<ExportFailure> failures;
};

// Takes the next piece of the output; an error ends the export.
using ExportSink = std::function<Status(std::string_view piece)>;

// Both export what is intact and report what is not. They fail where going on makes no sense: there is no such format
// (kInvalidArgument) or it is one of the other kind, nothing can be written, or the sink refuses. Memory: one event and
// a buffer.

// All conversations to one stream, e.g. as JSON lines: the events of a sanitized view are numbered anew, as what it
// will be where it is imported.
Result<ExportReport> ExportToStream(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const ExportSink& sink, const ExportOptions& options = {});

// One folder per conversation in `to`. One that exists already and is not empty is not overwritten, and none is left
// half-written.
Result<ExportReport> ExportToFolder(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const std::filesystem::path& to, const ExportOptions& options = {});

}  // namespace turnlog
