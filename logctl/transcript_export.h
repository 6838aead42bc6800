// Writes transcripts to standard output or to a folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "logctl/command.h"
#include "turnlog/log.h"
#include "turnlog/transcript/transcript.h"

namespace turnlog {

// "markdown", "html" or "handoff"; nothing for other names.
std::optional<TranscriptFormat> FindTranscriptFormat(std::string_view name);

// `to`: a folder for one file per conversation, several for a long one in HTML; none: standard output. Existing files
// are not overwritten (kConflict). Notes what was left out; reports damage. A handoff begins with what the conversation
// has copied.
Result<TranscriptReport> ExportTranscript(Context& context, Log& log, const ConversationId& conversation,
                                          TranscriptFormat format, const std::optional<std::string>& to,
                                          TranscriptOptions options);

}  // namespace turnlog
