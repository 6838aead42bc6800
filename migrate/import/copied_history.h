// Sources that begin with the records of another conversation. Forks say so. Where a tool that resumed a session copied
// it, nothing does: then the log remembers which conversation had a beginning first, because what a source means must
// not depend on whether another one is still there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/format.h"
#include "migrate/import/source.h"
#include "turnlog/log.h"

namespace turnlog {

// The parts of an import record that name the conversation: one that the log had, and one that it did not have, so that
// the copy was imported as the conversation's own history.
inline constexpr std::string_view kResumedFromPart = "resumed_from", kOriginMissingPart = "origin_missing";
// What a fork says itself, whether the log has it or not.
inline constexpr std::string_view kForkedFromPart = "forked_from";

// The conversation that had this beginning first; nothing: none is known.
Result<std::optional<ConversationId>> FindFirst(Log& log, std::string_view format, std::string_view beginning);
// Which conversation `own`, the one of a source with this beginning, has copied; nothing: none. What was decided when
// `own` was first imported stays.
Result<std::optional<ConversationId>> FindCopied(Log& log, std::string_view format, std::string_view beginning,
                                                 const ConversationId& own);
// The same for a source that names the conversation: it has copied it if the log has its first record there.
Result<std::optional<ConversationId>> FindRepeated(Log& log, const RepeatedHistory& other, const ConversationId& own);
// Whether the copy of `origin` that a source says it begins with is all that the log has of it. What was decided when
// `own` was first imported stays.
Result<bool> IsOriginMissing(Log& log, std::string_view origin, const ConversationId& own);
// `own` has this beginning first, unless another one is known.
Status RememberBeginning(Log& log, std::string_view format, std::string_view beginning, const ConversationId& own);

}  // namespace turnlog
