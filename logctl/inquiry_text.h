// Inquiries as text. All results are printable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

using InquiryRequestView = BasicInquiryRequest<std::string_view>;
using InquiryResponseView = BasicInquiryResponse<std::string_view>;

// "tool fs_modify", "assistant"
std::string SourceText(const BasicInquirySource<std::string_view>& source);
// "boolean, default false", "select of \"a\", \"b\""
std::string AnswerTypeText(const BasicQuestion<std::string_view>& question, bool with_options = true);
// "answered: true", "cancelled: user", "answered: [redacted]"
std::string OutcomeText(const InquiryResponseView& response);
// "assistant (model-x)"; empty if not recorded
std::string ResponderText(const InquiryResponseView& response);

// answered, cancelled, redacted; pending; orphaned: no response, and its turn is over; unmatched: a response without a
// request; unreadable: the response is damaged or erased. `response` is the recorded one if it could be read, or the
// one that a repair has inserted.
std::string_view StateOf(const InquiryRecord& record, const InquiryResponseView* response);

}  // namespace turnlog
