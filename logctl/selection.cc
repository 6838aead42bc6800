#include "logctl/selection.h"

#include <fmt/format.h>

#include "base/try.h"
#include "logctl/text.h"

namespace turnlog {

void Selection::Define(CLI::App& app) {
  const Parameter first = AddNumber(app, "--from", from, "Start at this event", "SEQ");
  const Parameter one = AddNumber(app, "--turn", turn, "Only this turn (0: the events before the first turn)");
  const Parameter last = AddNumber(app, "--last-turns", last_turns, "Only the last N turns");
  first.Excludes(one).Excludes(last);
  one.Excludes(last);
  AddFlag(app, "--raw", raw, "The log itself instead of the sanitized view");
}

Expected<void> Selection::Check(const ConversationInfo& info) const {
  if (!turn || *turn <= info.turns) return {};
  return Failed(fmt::format("conversation \"{}\" has no turn {}", info.id, *turn),
                info.turns == 0 ? "it has no `turn_start`; all its events are in turn 0"
                                : fmt::format("its turns are 1 to {}", info.turns));
}

Expected<void> ReadSelected(Log& log, const ConversationInfo& info, const Selection& selection, const OnItem& on_item) {
  ReadOptions options{.last_turns = selection.last_turns};
  if (selection.from) options.from = {*selection.from};
  if (selection.turn) options.from_turn = Turn{*selection.turn};
  const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
  const auto cursor = TURNLOG_TRY(selection.raw ? log.ReadRaw(id, options) : log.Read(id, options));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return {};
    const auto* record = std::get_if<Record>(&item);
    const auto* erased = std::get_if<Erased>(&item);
    const Turn turn = record != nullptr ? record->turn : erased != nullptr ? erased->turn : Turn{};
    if (selection.turn && turn.value > *selection.turn) return {};
    if (!TURNLOG_TRY(on_item(item))) return {};
  }
}

}  // namespace turnlog
