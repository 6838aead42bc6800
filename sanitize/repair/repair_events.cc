#include "sanitize/repair/repair_events.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "sanitize/repair/repair_diff.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxChanges = 1000;
constexpr std::size_t kMaxContentBytes = std::size_t{1} << 20;  // compactions contain summaries

// Size of free-form content; the rest of an inserted event is small.
std::size_t ContentBytes(const RepairItem& item) {
  const auto* verbatim = item.event ? std::get_if<Verbatim>(&item.event->body) : nullptr;
  return verbatim == nullptr ? 0 : verbatim->json.text().size();
}

class Writer {
 public:
  Writer(std::string profile, Seq head, std::optional<Timestamp> time)
      : profile_(std::move(profile)), head_(head), time_(time) {
    Begin();
  }

  void Retract(const RepairTarget& target) {
    Cover(target);
    repair_.retracts.push_back({target});
  }

  void Add(RepairItem item) {
    Cover(item.target);
    content_bytes_ += ContentBytes(item);
    repair_.items.push_back(std::move(item));
  }

  std::vector<Event> Take() {
    Flush();
    return std::move(events_);
  }

 private:
  void Begin() {
    repair_ = {.profile = profile_, .head = head_, .from = head_, .to = Seq{0}};
    content_bytes_ = 0;
  }

  std::size_t changes() const { return repair_.items.size() + repair_.retracts.size(); }

  void Cover(const RepairTarget& target) {
    if (changes() >= kMaxChanges || content_bytes_ >= kMaxContentBytes) Flush();
    repair_.from = std::min({repair_.from, target.anchor, target.cause});
    repair_.to = std::max({repair_.to, target.anchor, target.cause});
  }

  void Flush() {
    if (changes() == 0) return;
    events_.push_back(ToEvent(std::move(repair_), time_));
    Begin();
  }

  const std::string profile_;
  const Seq head_;
  const std::optional<Timestamp> time_;
  Repair repair_;
  std::size_t content_bytes_ = 0;
  std::vector<Event> events_;
};

// One change of the plan. At one anchor, retractions come first: the same item may be added again with another event.
struct Change {
  Seq anchor;
  enum class What : std::uint8_t { kRetract, kDrop, kInsert } what;
  std::size_t index;  // in the plan's list
};

std::vector<Change> ByAnchor(const SanitizePlan& plan) {
  std::vector<Change> changes;
  changes.reserve(plan.retract.size() + plan.add.drops.size() + plan.add.inserts.size());
  for (std::size_t i = 0; i < plan.retract.size(); ++i) {
    changes.push_back({plan.retract[i].anchor, Change::What::kRetract, i});
  }
  for (std::size_t i = 0; i < plan.add.drops.size(); ++i) {
    changes.push_back({plan.add.drops[i].why.seq, Change::What::kDrop, i});
  }
  for (std::size_t i = 0; i < plan.add.inserts.size(); ++i) {
    changes.push_back({plan.add.inserts[i].after, Change::What::kInsert, i});
  }
  std::ranges::sort(changes, {},
                    [](const Change& change) { return std::tie(change.anchor, change.what, change.index); });
  return changes;
}

}  // namespace

std::vector<Event> ToRepairEvents(const SanitizePlan& plan, RepairProfile profile, std::optional<Timestamp> time) {
  Writer writer{std::string(ToString(profile)), plan.add.head, time};
  for (const auto& [anchor, what, index] : ByAnchor(plan)) {
    switch (what) {
      case Change::What::kRetract:
        writer.Retract(plan.retract[index]);
        break;
      case Change::What::kDrop:
        writer.Add({TargetOf(plan.add.drops[index])});
        break;
      case Change::What::kInsert:
        writer.Add({TargetOf(plan.add.inserts[index]), plan.add.inserts[index].event});
        break;
    }
  }
  return writer.Take();
}

}  // namespace turnlog
