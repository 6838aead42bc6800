// What people have seen and put off, kept as watermarks of the log (consumer "page"): beside the conversations, in
// every engine, without events of their own. It is of the store, not of one person.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "turnlog/log.h"

namespace turnlog {

inline constexpr std::string_view kAttentionConsumer = "page";

struct Attention {
  Seq seen;                          // up to here
  std::optional<Timestamp> snoozed;  // until then, nothing up to snoozed_at is shown as waiting
  Seq snoozed_at;

  bool IsSnoozed(Seq last, Timestamp now) const { return snoozed && now < *snoozed && last <= snoozed_at; }
};

Result<Attention> FindAttention(Log& log, const ConversationId& conversation);
Status SetAttention(Log& log, const ConversationId& conversation, const Attention& attention);

}  // namespace turnlog
