// Appends to the turn of one conversation as its only writer, and knows at any time what is in it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "inquiry/turn_memory.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// What is known of the turn.
struct KnownTurn {
  TurnState state;
  TurnMemory memory;
  Seq last;                 // of the log, whatever the event is
  std::uint64_t turns = 0;  // of the conversation

  void Apply(Seq seq, const EventView& event) {
    memory.Apply(event, state);
    state.Apply(seq, event);
    if (seq > last) last = seq;
    if (event.kind() == EventKind::kTurnStart) ++turns;
  }
};

// From the sanitized view of the last turn, so that what a repair has closed is closed here, too. kNotFound: there is
// no such conversation. kConflict: it grows faster than it can be read.
Result<KnownTurn> LoadTurn(Log& log, const ConversationId& conversation);

// Threads: all members may be called from any thread at once.
class TurnWriter {
 public:
  TurnWriter(Log& log, ConversationId conversation, RecorderOptions options, KnownTurn turn);

  using Events = Result<std::vector<Event>>;
  // Makes events of what is known, appends them all and takes them in. If the conversation has grown meanwhile by what
  // others may append, `make` is called again, knowing more; if it has grown by anything else, kConflict, for ever.
  // Events get the time of now.
  Status Write(Durability durability, const std::function<Events(const KnownTurn&)>& make);
  // Takes in what others have appended.
  Status Refresh();

  template <class Look>
  auto With(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(std::as_const(turn_));
  }

  // From now on nothing is written any more, for this reason. The first one counts.
  void Refuse(Error reason);

  Timestamp Now() const;
  Log& log() const { return log_; }
  const ConversationId& conversation() const { return conversation_; }
  const RecorderOptions& options() const { return options_; }

 private:
  Status ReadOn();
  std::unexpected<Error> Refuse(Seq last, std::string_view what);
  Result<AppendResult> Append(std::span<const Event> events, Durability durability);

  Log& log_;
  const ConversationId conversation_;
  const RecorderOptions options_;

  mutable std::mutex mutex_;
  KnownTurn turn_;
  std::optional<Error> refusal_;
};

}  // namespace turnlog
