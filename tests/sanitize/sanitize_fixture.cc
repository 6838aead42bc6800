#include "tests/sanitize/sanitize_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sanitize/repair/repair_diff.h"
#include "tests/support/story.h"

namespace turnlog {
namespace {

std::vector<Event> Drain(Cursor& cursor) {
  std::vector<Event> events;
  for (;;) {
    const Item item = Must(cursor.Next());
    if (std::holds_alternative<EndOfLog>(item)) return events;
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) throw std::runtime_error(Line(item));
    events.push_back(Own(Must(record->Decode())));
  }
}

}  // namespace

void AppendStory(Log& log, std::string_view conversation, std::string_view story) {
  const auto info = log.Info(Id(conversation));
  std::vector<Event> events = Story(story, info ? info->last.value : 0);
  for (Event& event : events) {
    // Their JSON has no time.
    if (IsGlobal(event.kind())) event.timestamp.reset();
  }
  if (!events.empty()) Must(log.Append(Id(conversation), events, {.durability = Durability::kBuffered}));
}

std::vector<Event> RawEvents(Log& log, std::string_view conversation) {
  return Drain(*Must(log.ReadRaw(Id(conversation))));
}

std::vector<Event> ShownEvents(Log& log, std::string_view conversation) {
  return Drain(*Must(log.Read(Id(conversation))));
}

std::vector<Event> SanitizedAfresh(Log& log, std::string_view conversation, const SanitizeOptions& options) {
  const std::vector<Event> raw = RawEvents(log, conversation);
  std::vector<Event> shown = ApplyToEvents(PlanRepair(options, raw), raw);
  std::erase_if(shown, [](const Event& event) { return event.kind() == EventKind::kRepair; });
  return shown;
}

std::string Brief(const RepairTarget& target) {
  constexpr std::array kVerbs{"drop", "insert", "move"};
  const std::string verb = kVerbs.at(static_cast<std::size_t>(target.action));
  if (target.action == RepairAction::kDrop) return fmt::format("{} {} {}", verb, target.anchor.value, target.rule);
  return fmt::format("{} {}<{} {}", verb, target.anchor.value, target.cause.value, target.rule);
}

std::vector<std::string> Brief(const SanitizePlan& plan) {
  std::vector<std::string> lines;
  lines.reserve(plan.add.drops.size() + plan.add.inserts.size() + plan.retract.size());
  for (const Drop& drop : plan.add.drops) lines.push_back(Brief(TargetOf(drop)));
  for (const Insert& insert : plan.add.inserts) lines.push_back(Brief(TargetOf(insert)));
  for (const RepairTarget& target : plan.retract) lines.push_back("retract " + Brief(target));
  return lines;
}

std::vector<std::string> ActiveNow(Log& log, std::string_view conversation) {
  std::vector<std::string> lines;
  for (const RecordedRepair& recorded : Must(ListRepairs(log, Id(conversation)))) {
    for (std::size_t i = 0; i < recorded.in_force.size(); ++i) {
      if (recorded.in_force[i]) lines.push_back(Brief(recorded.repair.items[i].target));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::string SanitizeTest::Shown() const { return ToStory(ShownEvents(*log_, "c")); }

}  // namespace turnlog
