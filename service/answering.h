// Closes questions that wait, for a person or program that answers through the service.
#pragma once

#include <string>

#include "service/answer_body.h"
#include "service/service_state.h"

namespace turnlog {

// While the conversation's agent waits for an answer (waiting_agents.h), only the answers are recorded, and the agent
// goes on by itself. Otherwise what follows from them is recorded, too, as PendingInquiryResponder does.
//
// An answer to a secret question is passed to the agent that waits for it and recorded as redacted. kConflict: no agent
// waits for it; nothing is recorded. kIo: it is recorded as given, but the agent went away before it had it; it asks
// again when it comes back.
// Other errors: kNotFound, kConflict: the question was never asked, or has been closed. kInvalidArgument: the answer
// does not fit; the message never quotes it.
// What is returned: {"conversation","closed":[ids],"activity","pending":[ids]}.
Result<std::string> RespondTo(ServiceState& state, const ConversationId& conversation, const AnswerBody& body);
Result<std::string> CancelIn(ServiceState& state, const ConversationId& conversation, const AnswerBody& body);

}  // namespace turnlog
