// The interrupts of LangGraph as inquiries.
#pragma once

#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// The questions of one write; `task`: that made it, for interrupts without ids.
std::vector<InquiryRequest> ReadInterrupts(std::string_view value, std::string_view task);

// `answer`: what the graph was resumed with.
InquiryResponse AnswerInterrupt(const InquiryRequest& asked, std::string_view answer);

}  // namespace turnlog
