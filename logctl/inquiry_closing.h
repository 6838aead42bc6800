// The response that a repair has inserted for an inquiry without one.
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

// The closing of the inquiry with this id in event `request`; none if no active repair closes it. Reads from there to
// the closing, or to the end of the turn.
Expected<std::optional<InquiryClosing>> FindClosing(Log& log, const ConversationId& conversation,
                                                    const InquiryIdView& id, Seq request);

// Whether the sanitized view shows the event at its original position.
Expected<bool> IsShown(Log& log, const ConversationId& conversation, Seq seq);

}  // namespace turnlog
