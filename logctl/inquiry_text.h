// Inquiries as text. All results are printable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

// "tool fs_modify", "assistant"
std::string SourceText(const InquirySourceView& source);
// "boolean, default false", "select of \"a\", \"b\""
std::string AnswerTypeText(const QuestionView& question, bool with_options = true);
// "answered: true", "cancelled: user", "answered: [redacted]"
// `metadata`: of its event.
std::string OutcomeText(const InquiryResponseView& response, const JsonView& metadata);
// "assistant (model-x)", "user ann via page"; empty if not recorded
std::string ResponderText(const std::optional<ResponderView>& responder);

// answered, cancelled, redacted; pending; orphaned: no response, and its turn is over; unmatched: a response without a
// request; unreadable: the response is damaged or erased. `response` is the recorded one if it could be read, or the
// one that a repair has inserted.
std::string_view StateOf(const InquiryRecord& record, const InquiryResponseView* response);

}  // namespace turnlog
