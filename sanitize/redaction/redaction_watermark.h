// How far the events of a conversation have been searched for secrets, so that the next redaction reads only new ones.
#pragma once

#include <optional>
#include <string>

#include "turnlog/log.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

struct SearchWatermark {
  Seq head;  // all events up to here were searched
  Seq turn;  // the beginning of the turn of `head`: questions and answers are paired within a turn
};

// Changes with everything that decides what is found: the rules, the text of the rules file, and what is searched for.
std::string SearchFingerprint(const RedactionTargets& targets);

Watermark EncodeSearchWatermark(const SearchWatermark& watermark, const std::string& fingerprint);
// Nothing if it is of another search.
std::optional<SearchWatermark> DecodeSearchWatermark(const Watermark& watermark, const std::string& fingerprint);

// Nothing if the conversation was not searched with this fingerprint.
Result<std::optional<SearchWatermark>> FindSearchWatermark(Log& log, const ConversationId& id,
                                                           const std::string& fingerprint);
Status SaveSearchWatermark(Log& log, const ConversationId& id, const std::string& fingerprint,
                           const SearchWatermark& watermark);

}  // namespace turnlog
