// Inquiries in words. All results are printable.
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
// "assistant (model-x)"; empty if it is not on record
std::string ResponderText(const InquiryResponseView& response);

// answered, cancelled, redacted; pending; orphaned: never answered though its turn is over; stray: an answer to
// nothing; unreadable: the response is on record, but damaged or erased. `response` is the record's, if it could be
// read, or the one that a repair has inserted.
std::string_view StateOf(const InquiryRecord& record, const InquiryResponseView* response);

}  // namespace turnlog
