// Which part of a conversation to read, as typed: all of it, --from SEQ, --turn N or --last-turns N.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "logctl/command.h"
#include "turnlog/log.h"

namespace turnlog {

struct Selection {
  std::optional<std::uint64_t> from, turn, last_turns;

  void Define(CLI::App& app);
  // Fails if there is no such turn.
  Expected<void> Check(const ConversationInfo& info) const;
};

// The selected records and damages in order. `on_item` returns false to stop.
using OnItem = std::function<Expected<bool>(const std::variant<Record, Damage>& item)>;
Expected<void> ReadSelected(Log& log, const ConversationInfo& info, const Selection& selection, const OnItem& on_item);

}  // namespace turnlog
