// The repairs that touch the place where a reader is. Read from the log when the reader comes to them, and let go
// behind it, so that memory follows the repairs of a place and not those of the conversation.
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
  RepairWindow(Log& log, ConversationId conversation, std::vector<RepairPlace> repairs, bool backward);

  // REQUIRES: `place` is not before (backward: behind) the one of the last call. Returns the damage that was met: what
  // repairs there say is lost, so what is shown at their places cannot be trusted.
  Result<std::vector<Damage>> MoveTo(Seq place);

  // Whether the event at the place is left out, or stands elsewhere.
  bool Hides(Seq place) const;
  // What stands behind it, in order. Valid until the window moves.
  std::span<const RepairItem> Behind(Seq place) const;

 private:
  // The reader has come to it; has gone past it. With a RepairPlace or a Repair.
  bool Reached(const auto& repair, Seq place) const { return backward_ ? repair.to >= place : repair.from <= place; }
  bool Passed(const auto& repair, Seq place) const { return backward_ ? repair.from > place : repair.to < place; }
  Status Load(const RepairPlace& repair, std::vector<Damage>& damage);
  void Fold(Seq place);

  Log& log_;
  const ConversationId conversation_;
  const bool backward_;
  std::vector<RepairPlace> repairs_;  // in the order in which the reader comes to them
  std::size_t next_ = 0;              // of repairs_
  std::vector<StoredRepair> loaded_;  // in the order in which they were recorded

  // As long as the reader is within, the same repairs touch the place.
  Seq first_{1}, last_{0};
  std::vector<Seq> hidden_;         // ascending
  std::vector<RepairItem> behind_;  // by place
};

}  // namespace turnlog
