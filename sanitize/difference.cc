#include "sanitize/difference.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "sanitize/place_order.h"
#include "sanitize/rule.h"
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

bool Difference::Want(const RepairTarget& target, const std::optional<Event>& event) {
  const auto known = in_force_.items().find(target);
  if (known == in_force_.items().end()) return !in_force_.Declined(target);
  if (Same(known->second.event, event) || in_force_.Restored(target)) {
    kept_.insert(target);
    return false;
  }
  return true;  // the other one is retracted
}

void Difference::Want(const Drop& drop) {
  if (Want(TargetOf(drop), std::nullopt)) plan_.add.drops.push_back(drop);
}

void Difference::Want(const Insert& insert) {
  if (Want(TargetOf(insert), insert.event)) plan_.add.inserts.push_back(insert);
}

bool Difference::Retracts(const RepairItem& item, Seq from, std::span<const Seq> erased) const {
  const RepairTarget& target = item.target;
  if (kept_.contains(target) || in_force_.Restored(target)) return false;
  if (!IsRuleName(target.rule) || std::ranges::binary_search(erased, target.cause)) return false;
  return target.cause >= from || refused_.contains(target);
}

SanitizePlan Difference::Take(Seq from, std::span<const Seq> erased) {
  for (const auto& [target, item] : in_force_.items()) {
    if (Retracts(item, from, erased)) plan_.retract.push_back(target);
  }
  std::ranges::sort(plan_.retract, {}, [](const RepairTarget& target) { return std::tie(target.place, target.cause); });
  std::ranges::sort(plan_.add.drops, {}, [](const Drop& drop) { return drop.why.seq; });
  SortByPlace(plan_.add.inserts);
  return std::move(plan_);
}

}  // namespace turnlog
