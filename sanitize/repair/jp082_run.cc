#include "sanitize/repair/jp082_run.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/repair/active_repairs.h"
#include "sanitize/repair/jp082.h"
#include "sanitize/repair/log_records.h"
#include "sanitize/repair/repair_diff.h"

namespace turnlog {

Result<SanitizePlan> Jp082Run::Plan(const SanitizeOptions&) {
  const Seq last = TURNLOG_TRY(log_.Info(conversation_)).last;
  Jp082Planner planner;
  std::vector<Seq> erased;
  const auto add = [&](Seq seq, EventKind, const Record* record) -> Result<bool> {
    if (record == nullptr) {
      erased.push_back(seq);
    } else {
      planner.Add(seq, TURNLOG_TRY(record->Decode()));
    }
    return true;
  };
  TURNLOG_TRY(ForEachRecord(log_, conversation_, Seq{1}, last, add));
  auto repairs = TURNLOG_TRY(log_.Repairs(conversation_));
  std::erase_if(repairs, [&](const RepairRange& repair) { return repair.seq > last; });
  const ActiveRepairs in_force = TURNLOG_TRY(ActiveRepairs::Load(log_, conversation_, repairs, Seq{0}, {}));

  RepairDiff diff(in_force);
  const RepairPlan wanted = planner.Finish();
  for (const Drop& drop : wanted.drops) diff.Require(drop);
  for (const Insert& insert : wanted.inserts) diff.Require(insert);
  SanitizePlan plan = diff.Take(Seq{0}, erased);
  plan.add.head = last;
  plan.events_read = last.value;
  return plan;
}

}  // namespace turnlog
