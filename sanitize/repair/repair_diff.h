// Compares required with active repairs: which to add, and which to retract.
#pragma once

#include <set>
#include <span>

#include "sanitize/repair/active_repairs.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

RepairTarget TargetOf(const Drop& drop);
RepairTarget TargetOf(const Insert& insert);

class RepairDiff {
 public:
  explicit RepairDiff(const ActiveRepairs& in_force) : in_force_(in_force) {}

  void Require(const Drop& drop);
  void Require(const Insert& insert);
  // It must not be active.
  void Forbid(RepairTarget target) { forbidden_.insert(std::move(target)); }

  // Retracts active repairs that are not required, and that are forbidden or caused by an event from `from`
  // on. Keeps repairs of unknown rules, and repairs of `erased` events (ascending), whose contents are
  // unknown.
  SanitizePlan Take(Seq from, std::span<const Seq> erased);

 private:
  // Whether to add it.
  bool Require(const RepairTarget& target, const std::optional<Event>& event);
  bool Retracts(const RepairItem& item, Seq from, std::span<const Seq> erased) const;

  const ActiveRepairs& in_force_;
  std::set<RepairTarget> kept_, forbidden_;
  SanitizePlan plan_;
};

}  // namespace turnlog
