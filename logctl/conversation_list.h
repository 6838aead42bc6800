// Which conversations `ls` shows, and in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "logctl/command.h"
#include "logctl/store_access.h"
#include "turnlog/log.h"

namespace turnlog {

struct ConversationList {
  enum class Order : std::uint8_t { kId, kTime, kSize, kEvents };

  Order order = Order::kId;  // kId: ascending; others: latest, largest or longest first
  bool reverse = false;
  bool pending = false;            // only those with pending inquiries
  std::optional<Timestamp> since;  // only those whose last event is not older
  std::uint64_t limit = UINT64_MAX;

  // Page by page; stops when `on_page` fails or returns false. Orders other than kId hold about `limit` conversations
  // in memory.
  Expected<void> ForEach(Log& log, const OnPage& on_page) const;

 private:
  bool Wants(const ConversationInfo& info) const;
  bool Before(const ConversationInfo& a, const ConversationInfo& b) const;
  Expected<void> ForEachUnsorted(Log& log, const OnPage& on_page) const;
};

}  // namespace turnlog
