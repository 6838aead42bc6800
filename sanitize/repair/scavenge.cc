#include <algorithm>

#include "base/try.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {
namespace {

constexpr int kTries = 16;  // retries against concurrent appends

// The last turn may continue, and then its turn_start is needed again.
Result<Seq> StartOfLastTurn(Log& log, const ConversationId& conversation) {
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.last_turns = 1, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  return record != nullptr ? record->seq : Seq{};
}

Result<std::vector<Seq>> Dropped(Log& log, const ConversationId& conversation) {
  if (TURNLOG_TRY(log.Repairs(conversation)).empty()) return std::vector<Seq>();
  const Seq last_turn = TURNLOG_TRY(StartOfLastTurn(log, conversation));
  std::vector<Seq> seqs;
  for (const RecordedRepair& recorded : TURNLOG_TRY(ListRepairs(log, conversation))) {
    for (std::size_t i = 0; i < recorded.repair.items.size(); ++i) {
      const RepairTarget& target = recorded.repair.items[i].target;
      if (recorded.in_force[i] && target.action == RepairAction::kDrop) seqs.push_back(target.anchor);
    }
  }
  std::erase(seqs, last_turn);
  std::ranges::sort(seqs);
  const auto repeated = std::ranges::unique(seqs);
  seqs.erase(repeated.begin(), repeated.end());
  return seqs;
}

Result<ScavengeOutcome> Find(Log& log, const ConversationId& conversation) {
  ScavengeOutcome found;
  for (const Seq seq : TURNLOG_TRY(Dropped(log, conversation))) {
    const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = seq, .limit = 1}));
    const Item item = TURNLOG_TRY(cursor->Next());
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) continue;  // erased already
    found.events.push_back(seq);
    found.bytes += record->payload.size();
  }
  return found;
}

}  // namespace

Result<ScavengeOutcome> Scavenge(Log& log, const ConversationId& conversation, bool dry_run) {
  for (int tries = 1;; ++tries) {
    const Seq last = TURNLOG_TRY(log.Info(conversation)).last;
    auto found = TURNLOG_TRY(Find(log, conversation));
    if (dry_run) return found;
    // A repair that was undone since then is in use again: hence `expected_last`.
    const auto report =
        found.events.empty() ? EraseReport() : log.Erase(conversation, found.events, {.expected_last = last});
    if (report) {
      TURNLOG_TRY(log.SetWatermark(kScavengeConsumer, conversation, {last, {}}));
      return found;
    }
    if (report.error().code != ErrorCode::kConflict || tries == kTries) return std::unexpected(report.error());
  }
}

}  // namespace turnlog
