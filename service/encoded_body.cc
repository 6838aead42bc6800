#include "service/encoded_body.h"

#include "base/coding.h"
#include "base/try.h"
#include "service/event_lines.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kNumber = sizeof(std::uint64_t);
constexpr std::uint64_t kEventHead = 2 * kNumber, kAppendHead = 4 * kNumber;
constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;  // of anything in a body: sums of some do not overflow

std::uint64_t Filled(std::uint64_t length) { return (length + kNumber - 1) / kNumber * kNumber; }

}  // namespace

Status EncodedBody::Take(std::string_view piece) {
  TURNLOG_TRY(CollectedBody::Take(piece));
  while (TakeHead()) {
  }
  return {};
}

// What is malformed is refused when it is decoded: nothing is counted from there on.
bool EncodedBody::TakeHead() {
  const bool is_append = form_ == Form::kAppends && next_ >= end_;
  const std::uint64_t head = is_append ? kAppendHead : kEventHead;
  if (next_ + head > text().size()) return false;
  const auto number = [&](std::uint64_t index) {
    return LoadLittle<std::uint64_t>(text().data() + next_ + index * kNumber);
  };
  const std::uint64_t length = number(is_append ? 0 : 1), events = is_append ? number(3) : 0;
  if (length > kLongest || events > kLongest) return false;
  next_ += head + Filled(length);
  if (is_append) end_ = next_ + Filled(events);
  ++events_;
  return true;
}

std::uint64_t EncodedBody::cost() const { return CollectedBody::cost() + kCostOfEvent * events_; }

}  // namespace turnlog
