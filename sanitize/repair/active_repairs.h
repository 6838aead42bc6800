// What the repairs of a conversation do already, as far as it touches what is being planned.
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
  // `places`: of the conversation's repairs up to what has been planned. Reads those that touch `from` and what comes
  // behind it, or one of `also`, which are ascending.
  static Result<ActiveRepairs> Load(Log& log, const ConversationId& conversation, std::span<const RepairPlace> places,
                                    Seq from, std::span<const Seq> also);

  using Items = std::map<RepairTarget, RepairItem>;
  const Items& items() const { return items_; }
  bool Has(const RepairTarget& target) const { return items_.contains(target); }
  // Somebody has undone the repair that made it.
  bool Suppressed(const RepairTarget& target) const { return suppressed_.contains(target); }
  // It is in force because somebody has undone the repair that retracted it.
  bool Reinstated(const RepairTarget& target) const { return reinstated_.contains(target); }

 private:
  Items items_;
  std::set<RepairTarget> suppressed_, reinstated_;
};

}  // namespace turnlog
