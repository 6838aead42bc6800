#include "sanitize/repair/repair_diff.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "sanitize/repair/insert_order.h"
#include "sanitize/repair/rule.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

bool Same(const Boxed<Event>& one, const std::optional<Event>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return ToJson(View(*one)) == ToJson(View(*other));
}

}  // namespace

RepairTarget TargetOf(const Drop& drop) {
  return {RepairAction::kDrop, drop.why.seq, drop.why.seq, std::string(ToString(drop.why.rule))};
}

RepairTarget TargetOf(const Insert& insert) {
  const RepairAction action = insert.event ? RepairAction::kInsert : RepairAction::kMove;
  return {action, insert.after, insert.why.seq, std::string(ToString(insert.why.rule))};
}

bool RepairDiff::Require(const RepairTarget& target, const std::optional<Event>& event) {
  const auto known = in_force_.items().find(target);
  if (known == in_force_.items().end()) return !in_force_.Suppressed(target);
  if (Same(known->second.event, event) || in_force_.Reinstated(target)) {
    kept_.insert(target);
    return false;
  }
  return true;  // the existing one is retracted
}

void RepairDiff::Require(const Drop& drop) {
  if (Require(TargetOf(drop), std::nullopt)) plan_.add.drops.push_back(drop);
}

void RepairDiff::Require(const Insert& insert) {
  if (Require(TargetOf(insert), insert.event)) plan_.add.inserts.push_back(insert);
}

bool RepairDiff::Retracts(const RepairItem& item, Seq from, std::span<const Seq> erased) const {
  const RepairTarget& target = item.target;
  if (kept_.contains(target) || in_force_.Reinstated(target)) return false;
  if (!IsRuleName(target.rule) || std::ranges::binary_search(erased, target.cause)) return false;
  return target.cause >= from || forbidden_.contains(target);
}

SanitizePlan RepairDiff::Take(Seq from, std::span<const Seq> erased) {
  for (const auto& [target, item] : in_force_.items()) {
    if (Retracts(item, from, erased)) plan_.retract.push_back(target);
  }
  std::ranges::sort(plan_.retract, {},
                    [](const RepairTarget& target) { return std::tie(target.anchor, target.cause); });
  std::ranges::sort(plan_.add.drops, {}, [](const Drop& drop) { return drop.why.seq; });
  SortInserts(plan_.add.inserts);
  return std::move(plan_);
}

}  // namespace turnlog
