// The active repairs of a conversation that touch the planned range.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "history/repair_set.h"
#include "turnlog/log.h"

namespace turnlog {

class ActiveRepairs {
 public:
  explicit ActiveRepairs(std::span<const StoredRepair> repairs);
  // `ranges`: the conversation's repairs up to the planned head. Reads those that touch seqs from `from` on, or one of
  // `also`. REQUIRES: `also` is ascending.
  static Result<ActiveRepairs> Load(Log& log, const ConversationId& conversation, std::span<const RepairRange> ranges,
                                    Seq from, std::span<const Seq> also);

  using Items = std::map<RepairTarget, RepairItem>;
  const Items& items() const { return items_; }
  bool Has(const RepairTarget& target) const { return items_.contains(target); }
  // The repair that made it has been undone.
  bool Suppressed(const RepairTarget& target) const { return suppressed_.contains(target); }
  // It is active because the repair that retracted it has been undone.
  bool Reinstated(const RepairTarget& target) const { return reinstated_.contains(target); }

 private:
  Items items_;
  std::set<RepairTarget> suppressed_, reinstated_;
};

}  // namespace turnlog
