// The approval of a tool call by the user as an inquiry: "<call>.approval.1", a boolean question of the tool.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// Nothing if the call's id does not fit into an inquiry's.
std::optional<InquiryRequest> AskForApproval(std::string_view call, std::string_view tool);

// The answer of the user.
InquiryResponse ApprovalAnswer(const InquiryRequest& asked, bool approved, std::optional<std::string> reason);

// That the user refused a call; `reason`: in the user's words.
Denial DeniedByUser(std::optional<std::string> reason);
// That settings or rules did; `via`: what applied them.
Denial DeniedByPolicy(std::optional<std::string> reason = {}, std::optional<std::string> via = {});

}  // namespace turnlog
