#include <cstdint>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

std::unexpected<Error> Invalid(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "inquiry id: " + std::string(what)});
}

}  // namespace

Result<InquiryId> MakeInquiryId(std::string_view tool_call, std::string_view question, std::uint32_t attempt) {
  if (tool_call.empty()) return Invalid("the tool call is empty");
  if (question.empty()) return Invalid("the question is empty");
  if (question.contains('.')) return Invalid("the question holds a '.'");
  if (attempt == 0) return Invalid("attempts count from 1");
  const std::string number = std::to_string(attempt);
  if (tool_call.size() > kMaxIdBytes || question.size() > kMaxIdBytes ||
      tool_call.size() + question.size() + number.size() + 2 > kMaxIdBytes) {
    return Invalid("longer than " + std::to_string(kMaxIdBytes) + " bytes");
  }
  std::string text;
  text.append(tool_call).append(1, '.').append(question).append(1, '.').append(number);
  return InquiryId{std::move(text), InquiryKey{std::string(tool_call), std::string(question), attempt}};
}

}  // namespace turnlog
