#include "schema/event/inquiry_id.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/try.h"
#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

std::unexpected<Error> Invalid(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "inquiry id: " + std::string(what)});
}

}  // namespace

Status CheckInquiryKey(const InquiryKeyView& key) {
  if (key.tool_call.empty()) return Invalid("the tool call is empty");
  if (key.question.empty()) return Invalid("the question is empty");
  if (key.question.contains('.')) return Invalid("the question holds a '.'");
  if (key.attempt == 0) return Invalid("attempts count from 1");
  return {};
}

bool IsMadeOf(std::string_view text, const InquiryKeyView& key) {
  const auto skip = [&](std::string_view part) {
    const bool fits = text.starts_with(part);
    if (fits) text.remove_prefix(part.size());
    return fits;
  };
  std::array<char, 10> digits;
  const auto number = std::to_chars(digits.data(), digits.data() + digits.size(), key.attempt);
  return skip(key.tool_call) && skip(".") && skip(key.question) && skip(".") &&
         text == std::string_view(digits.data(), number.ptr);
}

Result<InquiryId> MakeInquiryId(std::string_view tool_call, std::string_view question, std::uint32_t attempt) {
  TURNLOG_TRY(CheckInquiryKey({tool_call, question, attempt}));
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
