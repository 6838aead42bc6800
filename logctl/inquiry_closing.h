// How a repair ends an inquiry that nobody answered: what the sanitized view has of it.
#pragma once

#include <optional>
#include <string>

#include "logctl/errors.h"
#include "turnlog/log.h"

namespace turnlog {

struct InquiryClosing {
  Event response;  // an inquiry_response that a repair has inserted
  std::string rule;
};

// The closing of the inquiry that was asked with this id in event `request`; none if no repair in force closes it.
// Cost: the way from there to the closing, or to the end of the turn.
Expected<std::optional<InquiryClosing>> FindClosing(Log& log, const ConversationId& conversation,
                                                    const InquiryIdView& id, Seq request);

// Whether the sanitized view shows the event in its own place.
Expected<bool> IsShown(Log& log, const ConversationId& conversation, Seq seq);

}  // namespace turnlog
