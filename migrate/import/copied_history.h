// Sources that begin with the records of another conversation although nothing in them says so: a tool that resumed a
// session copied it. The log remembers which conversation had a beginning first, because what a source means must not
// depend on whether another one is still there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/format.h"
#include "migrate/import/source.h"
#include "turnlog/log.h"

namespace turnlog {

// The part of an import record that names the conversation.
inline constexpr std::string_view kResumedFromPart = "resumed_from";

// The conversation that had this beginning first; nothing: none is known.
Result<std::optional<ConversationId>> FindFirst(Log& log, std::string_view format, std::string_view beginning);
// Which conversation `own`, the one of a source with this beginning, has copied; nothing: none. What was decided when
// `own` was first imported stays.
Result<std::optional<ConversationId>> FindCopied(Log& log, std::string_view format, std::string_view beginning,
                                                 const ConversationId& own);
// The same for a source that names the conversation: it has copied it if the log has its first record there.
Result<std::optional<ConversationId>> FindRepeated(Log& log, const RepeatedHistory& other, const ConversationId& own);
// `own` has this beginning first, unless another one is known.
Status RememberBeginning(Log& log, std::string_view format, std::string_view beginning, const ConversationId& own);

}  // namespace turnlog
