#include "history/repair_set.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace turnlog {
namespace {

// Items by their targets, in the order in which they came.
class ItemList {
 public:
  void Add(const RepairItem& item) {
    if (positions_.emplace(item.target, items_.size()).second) items_.push_back(&item);
  }

  void Remove(const RepairTarget& target) {
    const auto found = positions_.find(target);
    if (found == positions_.end()) return;
    items_[found->second] = nullptr;
    positions_.erase(found);
  }

  std::vector<RepairItem> ByAnchor() const {
    std::vector<std::pair<Seq, std::size_t>> order;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i] != nullptr) order.emplace_back(items_[i]->target.anchor, i);
    }
    std::ranges::sort(order);
    std::vector<RepairItem> items;
    items.reserve(order.size());
    for (const auto& [anchor, i] : order) items.push_back(*items_[i]);
    return items;
  }

 private:
  std::vector<const RepairItem*> items_;
  std::map<RepairTarget, std::size_t> positions_;
};

}  // namespace

std::vector<bool> FindUndone(std::span<const StoredRepair> repairs) {
  std::vector<bool> undone(repairs.size(), false);
  std::set<Seq> targets;
  for (std::size_t i = repairs.size(); i-- > 0;) {
    undone[i] = targets.contains(repairs[i].seq);
    if (!undone[i]) targets.insert(repairs[i].repair.undoes.begin(), repairs[i].repair.undoes.end());
  }
  return undone;
}

RepairSet FoldRepairs(std::span<const StoredRepair> repairs) {
  const std::vector<bool> undone = FindUndone(repairs);
  ItemList active, suppressed;
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (undone[i]) continue;
    for (const RepairItem& item : repairs[i].repair.retracts) active.Remove(item.target);
    for (const RepairItem& item : repairs[i].repair.items) active.Add(item);
  }
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (!undone[i]) continue;
    for (const RepairItem& item : repairs[i].repair.items) suppressed.Add(item);
  }
  RepairSet set{.active = active.ByAnchor(), .suppressed = {}};
  for (const RepairItem& item : set.active) suppressed.Remove(item.target);
  set.suppressed = suppressed.ByAnchor();
  return set;
}

}  // namespace turnlog
