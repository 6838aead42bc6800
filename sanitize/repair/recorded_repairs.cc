// Lists and undoes the repairs of a conversation.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "base/try.h"
#include "history/repair_set.h"
#include "sanitize/repair/guarded_append.h"
#include "sanitize/repair/log_records.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {
namespace {

struct Recorded {
  std::vector<StoredRepair> repairs;
  std::vector<std::optional<Timestamp>> times;
};

Result<Recorded> LoadAll(Log& log, const ConversationId& conversation) {
  Recorded recorded;
  for (const RepairRange& range : TURNLOG_TRY(log.Repairs(conversation))) {
    TimedRepair repair = TURNLOG_TRY(LoadRepair(log, conversation, range.seq));
    recorded.repairs.push_back(std::move(repair.stored));
    recorded.times.push_back(repair.time);
  }
  return recorded;
}

// For each active item, the index of its repair.
std::map<RepairTarget, std::size_t> FindSources(std::span<const StoredRepair> repairs,
                                                const std::vector<bool>& undone) {
  std::map<RepairTarget, std::size_t> sources;
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (undone[i]) continue;
    for (const RepairItem& item : repairs[i].repair.retracts) sources.erase(item.target);
    for (const RepairItem& item : repairs[i].repair.items) sources.emplace(item.target, i);
  }
  return sources;
}

std::unexpected<Error> Refused(const ConversationId& conversation, Seq seq, std::string_view why) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument,
                               fmt::format("conversation \"{}\", event {}: {}", conversation.text(), seq.value, why)});
}

// Reads every repair, because a later one may undo an undo.
Result<AppendDecision> DecideUndo(Log& log, const ConversationId& conversation, Seq seq) {
  const Seq last = TURNLOG_TRY(log.Info(conversation)).last;
  const Repair repair = TURNLOG_TRY(LoadRepair(log, conversation, seq)).stored.repair;
  const std::vector<StoredRepair> repairs = TURNLOG_TRY(LoadAll(log, conversation)).repairs;
  const std::vector<bool> undone = FindUndone(repairs);
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (repairs[i].seq == seq && undone[i]) return Refused(conversation, seq, "this repair is already undone");
  }
  const Repair undo{.profile = "undo", .head = last, .from = repair.from, .to = repair.to, .undoes = {seq}};
  return AppendDecision{last, {ToEvent(undo, Now())}};
}

}  // namespace

Result<std::vector<RecordedRepair>> ListRepairs(Log& log, const ConversationId& conversation) {
  Recorded recorded = TURNLOG_TRY(LoadAll(log, conversation));
  const std::vector<bool> undone = FindUndone(recorded.repairs);
  const auto sources = FindSources(recorded.repairs, undone);
  std::vector<RecordedRepair> list;
  for (std::size_t i = 0; i < recorded.repairs.size(); ++i) {
    auto& [seq, repair] = recorded.repairs[i];
    RecordedRepair& entry = list.emplace_back(seq, recorded.times[i], std::move(repair), undone[i]);
    for (const RepairItem& item : entry.repair.items) {
      const auto source = sources.find(item.target);
      entry.in_force.push_back(source != sources.end() && source->second == i);
    }
  }
  return list;
}

Result<Seq> UndoRepair(Log& log, const ConversationId& conversation, Seq seq, Durability durability) {
  const auto decide = [&] { return DecideUndo(log, conversation, seq); };
  return TURNLOG_TRY(AppendGuarded(log, conversation, durability, decide)).events.front().seq;
}

}  // namespace turnlog
