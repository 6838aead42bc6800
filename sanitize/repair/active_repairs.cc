#include "sanitize/repair/active_repairs.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "sanitize/repair/log_records.h"

namespace turnlog {

ActiveRepairs::ActiveRepairs(std::span<const StoredRepair> repairs) {
  RepairSet set = FoldRepairs(repairs);
  for (RepairItem& item : set.active) {
    const RepairTarget target = item.target;
    items_.emplace(target, std::move(item));
  }
  for (const RepairItem& item : set.suppressed) suppressed_.insert(item.target);
  const std::vector<bool> undone = FindUndone(repairs);
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (!undone[i]) continue;
    for (const RepairItem& item : repairs[i].repair.retracts) reinstated_.insert(item.target);
  }
}

Result<ActiveRepairs> ActiveRepairs::Load(Log& log, const ConversationId& conversation,
                                          std::span<const RepairRange> ranges, Seq from, std::span<const Seq> also) {
  std::vector<StoredRepair> repairs;
  for (const RepairRange& range : ranges) {
    const auto first = std::ranges::lower_bound(also, range.from);
    const bool touches = range.to >= from || (first != also.end() && *first <= range.to);
    if (touches) repairs.push_back(TURNLOG_TRY(LoadRepair(log, conversation, range.seq)).stored);
  }
  return ActiveRepairs(repairs);
}

}  // namespace turnlog
