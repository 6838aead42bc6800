// The repairs that touch a reader's current seq. They are loaded from the log when the reader reaches them and dropped
// after it has passed them, so that memory depends on overlapping repairs and not on all repairs of the conversation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "history/repair_set.h"
#include "turnlog/log.h"

namespace turnlog {

class RepairWindow {
 public:
  // `log` must outlive it.
  RepairWindow(Log& log, ConversationId conversation, std::vector<RepairRange> repairs, bool backward);

  // REQUIRES: calls are in reading direction. Returns damaged repairs: what they changed is unknown, so the view cannot
  // be trusted within their range.
  Result<std::vector<Damage>> MoveTo(Seq seq);

  // Whether the event is dropped, or shown elsewhere.
  bool Hides(Seq seq) const;
  // Events to show after it, in order. Valid until the window moves.
  std::span<const RepairItem> ShownAfter(Seq seq) const;

 private:
  // Whether the reader has reached, or passed, a RepairRange or a Repair.
  bool Reached(const auto& repair, Seq seq) const { return backward_ ? repair.to >= seq : repair.from <= seq; }
  bool Passed(const auto& repair, Seq seq) const { return backward_ ? repair.from > seq : repair.to < seq; }
  Status Load(const RepairRange& repair, std::vector<Damage>& damage);
  void Fold(Seq at);

  Log& log_;
  const ConversationId conversation_;
  const bool backward_;
  std::vector<RepairRange> repairs_;  // in reading direction
  std::size_t next_ = 0;              // of repairs_
  std::vector<StoredRepair> loaded_;  // in the order of the log

  // Within this range the same repairs apply.
  Seq first_{1}, last_{0};
  std::vector<Seq> hidden_;              // ascending
  std::vector<RepairItem> shown_after_;  // by target.anchor
};

}  // namespace turnlog
