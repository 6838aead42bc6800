// What is wanted against what is in force: what is to be added, and what to be retracted.
#pragma once

#include <set>
#include <span>

#include "sanitize/in_force.h"
#include "turnlog/sanitize.h"

namespace turnlog {

RepairTarget TargetOf(const Drop& drop);
RepairTarget TargetOf(const Insert& insert);

class Difference {
 public:
  explicit Difference(const InForce& in_force) : in_force_(in_force) {}

  void Want(const Drop& drop);
  void Want(const Insert& insert);
  // In force or not, it must not be.
  void Refuse(RepairTarget target) { refused_.insert(std::move(target)); }

  // Retracts what is in force, not wanted, and refused or caused by an event from `from` on. But nothing that was done
  // by rules that are not ours, and nothing that concerns events which have been `erased` (ascending), for of those
  // nothing can be known any more.
  SanitizePlan Take(Seq from, std::span<const Seq> erased);

 private:
  // Whether it is to be added.
  bool Want(const RepairTarget& target, const std::optional<Event>& event);
  bool Retracts(const RepairItem& item, Seq from, std::span<const Seq> erased) const;

  const InForce& in_force_;
  std::set<RepairTarget> kept_, refused_;
  SanitizePlan plan_;
};

}  // namespace turnlog
