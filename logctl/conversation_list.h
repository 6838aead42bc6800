// Which conversations `ls` shows, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "logctl/command.h"
#include "logctl/store_access.h"
#include "turnlog/log.h"

namespace turnlog {

// How many inquiries wait, by conversation; those with none are not in it.
using PendingCounts = std::map<std::string, std::size_t, std::less<>>;
Expected<PendingCounts> CountPending(Log& log);

struct ConversationList {
  enum class Order : std::uint8_t { kId, kTime, kSize, kEvents };

  Order order = Order::kId;  // kId: ascending; others: latest, largest or longest first
  bool reverse = false;
  bool pending = false;            // only those with pending inquiries
  std::optional<Timestamp> since;  // only those whose last event is not older
  std::uint64_t limit = UINT64_MAX;

  // Page by page; stops when `on_page` fails or returns false. Orders other than kId hold about `limit` conversations
  // in memory.
  Expected<void> ForEach(Log& log, const PendingCounts& counts, const OnPage& on_page) const;

 private:
  bool Wants(const ConversationInfo& info) const;
  bool Before(const ConversationInfo& a, const ConversationInfo& b) const;
  Expected<void> ForEachUnsorted(Log& log, const PendingCounts& counts, const OnPage& on_page) const;
};

}  // namespace turnlog
