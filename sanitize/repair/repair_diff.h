// What is wanted against what is in force: what is to be added, and what to be retracted.
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
  // In force or not, it must not be.
  void Forbid(RepairTarget target) { forbidden_.insert(std::move(target)); }

  // Retracts what is in force, not wanted, and refused or caused by an event from `from` on. But nothing that was done
  // by rules that are not ours, and nothing that concerns events which have been `erased` (ascending), for of those
  // nothing can be known any more.
  SanitizePlan Take(Seq from, std::span<const Seq> erased);

 private:
  // Whether it is to be added.
  bool Require(const RepairTarget& target, const std::optional<Event>& event);
  bool Retracts(const RepairItem& item, Seq from, std::span<const Seq> erased) const;

  const ActiveRepairs& in_force_;
  std::set<RepairTarget> kept_, forbidden_;
  SanitizePlan plan_;
};

}  // namespace turnlog
