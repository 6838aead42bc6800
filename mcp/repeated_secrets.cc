#include "mcp/repeated_secrets.h"

#include <algorithm>

#include "base/try.h"
#include "turnlog/event_walk.h"

namespace turnlog {

Status RepeatedSecrets::Learn(const ConversationId& conversation, Seq shown) {
  if (filter_.keeps() || !learned_.insert(conversation.text()).second) return {};
  const ConversationInfo info = TURNLOG_TRY(log_.Info(conversation));
  const bool is_long = info.bytes > left_;
  is_complete_ = is_complete_ && !is_long;
  if (left_ == 0) return {};
  const Seq from = is_long ? TURNLOG_TRY(Begin(conversation, shown, left_ / 2)) : Seq{1};
  left_ -= std::min(left_, TURNLOG_TRY(filter_.Learn(log_, conversation, from, left_)));
  return {};
}

// The first of the events that have so many bytes and end with `shown`.
Result<Seq> RepeatedSecrets::Begin(const ConversationId& conversation, Seq shown, std::uint64_t bytes) {
  const auto cursor = TURNLOG_TRY(log_.ReadRaw(conversation, {.from = shown, .backward = true}));
  Seq begin = shown;
  TURNLOG_TRY(WalkItems(*cursor, [&](const Item& item) -> Result<Walk> {
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return Walk::kOn;
    if (record->payload.size() > bytes) return Walk::kEnd;
    bytes -= record->payload.size();
    begin = record->seq;
    return Walk::kOn;
  }));
  return std::max(begin, Seq{1});
}

}  // namespace turnlog
