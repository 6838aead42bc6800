// Which part of a conversation to read: all of it, --from SEQ, --turn N or --last-turns N; in the sanitized view or,
// with
// --raw, in the log.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "logctl/command.h"
#include "turnlog/log.h"

namespace turnlog {

struct Selection {
  std::optional<std::uint64_t> from, turn, last_turns;
  bool raw = false;

  void Define(CLI::App& app);
  // Fails if there is no such turn.
  Expected<void> Check(const ConversationInfo& info) const;
};

// Calls `on_item` with each selected item, without EndOfLog; false stops.
using OnItem = std::function<Expected<bool>(const Item& item)>;
Expected<void> ReadSelected(Log& log, const ConversationInfo& info, const Selection& selection, const OnItem& on_item);

}  // namespace turnlog
