// Which part of a conversation to read, as typed: all of it, --from SEQ, --turn N or --last-turns N; and whether the
// sanitized view or, with --raw, the log itself.
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

// What is selected, in order, without the end. `on_item` returns false to stop.
using OnItem = std::function<Expected<bool>(const Item& item)>;
Expected<void> ReadSelected(Log& log, const ConversationInfo& info, const Selection& selection, const OnItem& on_item);

}  // namespace turnlog
