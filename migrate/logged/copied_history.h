// Sources that begin with the records of another conversation. Forks say so. Where a tool that resumed a session copied
// it, nothing does: then the log remembers which conversation had a beginning first, because what a source means must
// not depend on whether another one is still there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/format.h"
#include "migrate/sources/source.h"
#include "turnlog/log.h"

namespace turnlog {

// The parts of an import record that name the conversation: one that the log had, and one that it did not have, so that
// the copy was imported as the conversation's own history.
inline constexpr std::string_view kResumedFromPart = "resumed_from", kOriginMissingPart = "origin_missing";
// What a fork says itself, whether the log has it or not.
inline constexpr std::string_view kForkedFromPart = "forked_from";

// The conversation that had this beginning first; nothing: none is known.
Result<std::optional<ConversationId>> FindFirst(Log& log, std::string_view format, std::string_view beginning);

// What a source begins with a copy of, where its records do not tell a reader what they are.
struct CopiedHistory {
  ConversationId conversation;
  bool missing = false;  // the log does not have it: the copy is the source's own history

  // `first`: the file that begins with the copy.
  void Mark(RecordFile& first) const;
};

// What was decided when the source was first imported stays. Remembers a beginning that no other one had.
Result<std::optional<CopiedHistory>> FindCopiedHistory(Log& log, const Format& format, Source& source);

}  // namespace turnlog
