// One turn as a fold over its events: which request has which response, what is left over, whether it is complete.
// Memory follows the turn, not the conversation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/open_requests.h"
#include "turnlog/types.h"

namespace turnlog {

struct TurnItem {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Seq seq;
  EventKind kind{};
  std::string id;                 // of the tool call or inquiry, if the event has one
  std::optional<InquiryKey> key;  // inquiries that were written in parts
  std::optional<Timestamp> time;
  std::size_t partner = kNone;  // requests: the response; responses: the request
  bool erased = false;          // its content is gone, the id with it: it has no partner and waits for none

  bool paired() const { return partner != kNone; }
};

// Events that belong to the conversation and not to a turn (IsGlobal) are not added. Pairs as OpenRequests does.
class TurnFold {
 public:
  // REQUIRES: in order of seq; a turn_start only as the first. Returns the item's index.
  std::size_t Add(Seq seq, const EventView& event);
  // The same of an event whose content is gone.
  std::size_t AddErased(Seq seq, EventKind kind);

  const std::vector<TurnItem>& items() const& { return items_; }
  const std::vector<TurnItem>& items() const&& = delete;
  bool empty() const { return items_.empty(); }
  bool has_start() const { return !items_.empty() && items_.front().kind == EventKind::kTurnStart; }
  // Nothing is left to be done in it: it has a chat_response, after the last tool result if there is one, and every
  // call and inquiry has its response. What comes before `from` does not count. Cost: linear.
  bool Complete(Seq from = {}) const;

 private:
  void Close(OpenRequests& open, std::size_t index);

  std::vector<TurnItem> items_;
  OpenRequests calls_, inquiries_;  // by index
};

}  // namespace turnlog
