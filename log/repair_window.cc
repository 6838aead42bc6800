#include "log/repair_window.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

Seq AnchorOf(const RepairItem& item) { return item.target.anchor; }

Damage Unreadable(const ConversationId& conversation, Seq seq, const std::string& reason) {
  return {.conversation = conversation.text(), .seq = seq.value, .reason = "the repair cannot be read: " + reason};
}

}  // namespace

RepairWindow::RepairWindow(Log& log, ConversationId conversation, std::vector<RepairRange> repairs, bool backward)
    : log_(log), conversation_(std::move(conversation)), backward_(backward), repairs_(std::move(repairs)) {
  if (backward_) {
    std::ranges::sort(repairs_, std::ranges::greater(), &RepairRange::to);
  } else {
    std::ranges::sort(repairs_, {}, &RepairRange::from);
  }
}

Result<std::vector<Damage>> RepairWindow::MoveTo(Seq seq) {
  std::vector<Damage> damage;
  if (seq >= first_ && seq <= last_) return damage;
  std::erase_if(loaded_, [&](const StoredRepair& loaded) { return Passed(loaded.repair, seq); });
  for (; next_ < repairs_.size() && Reached(repairs_[next_], seq); ++next_) {
    if (!Passed(repairs_[next_], seq)) TURNLOG_TRY(Load(repairs_[next_], damage));
  }
  std::ranges::sort(loaded_, {}, &StoredRepair::seq);
  Fold(seq);
  return damage;
}

Status RepairWindow::Load(const RepairRange& repair, std::vector<Damage>& damage) {
  const auto cursor = TURNLOG_TRY(log_.ReadRaw(conversation_, {.from = repair.seq, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  if (const auto* lost = std::get_if<Damage>(&item)) {
    damage.push_back(*lost);
    return {};
  }
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) {
    damage.push_back(Unreadable(conversation_, repair.seq, "it is missing"));
    return {};
  }
  auto parsed = ReadRepair(TURNLOG_TRY(DecodeEvent(record->payload)));
  if (parsed) {
    loaded_.push_back({repair.seq, *std::move(parsed)});
  } else {
    damage.push_back(Unreadable(conversation_, repair.seq, parsed.error().message));
  }
  return {};
}

// Computes the effect of the loaded repairs from `at` up to where one of them ends or the next one begins.
void RepairWindow::Fold(Seq at) {
  first_ = backward_ ? Seq{0} : at;
  last_ = backward_ ? at : Seq{UINT64_MAX};
  if (next_ < repairs_.size()) {
    if (backward_) first_ = Seq{repairs_[next_].to.value + 1};
    if (!backward_) last_ = Seq{repairs_[next_].from.value - 1};
  }
  for (const auto& [seq, repair] : loaded_) {
    if (backward_) first_ = std::max(first_, repair.from);
    if (!backward_) last_ = std::min(last_, repair.to);
  }
  hidden_.clear();
  shown_after_.clear();
  const auto within = [&](Seq seq) { return seq >= first_ && seq <= last_; };
  for (RepairItem& item : FoldRepairs(loaded_).active) {
    const RepairTarget& target = item.target;
    if (target.action != RepairAction::kInsert && within(target.cause)) hidden_.push_back(target.cause);
    if (target.action != RepairAction::kDrop && within(target.anchor)) shown_after_.push_back(std::move(item));
  }
  std::ranges::sort(hidden_);
}

bool RepairWindow::Hides(Seq seq) const { return std::ranges::binary_search(hidden_, seq); }

std::span<const RepairItem> RepairWindow::ShownAfter(Seq seq) const {
  const auto [first, last] = std::ranges::equal_range(shown_after_, seq, {}, AnchorOf);
  return {first, last};
}

}  // namespace turnlog
