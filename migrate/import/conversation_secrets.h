// What must not come in with a conversation: the secrets that were found in its source, and what was redacted in the
// log.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "migrate/compare/event_places.h"
#include "migrate/compare/redacted_values.h"
#include "migrate/format.h"
#include "migrate/import/secret_search.h"
#include "turnlog/event.h"

namespace turnlog {

class ConversationSecrets {
 public:
  // `found`: null: none are looked for. `redacted`: of conversations with the same records; null: there are none.
  ConversationSecrets(SourceSecrets* found, std::shared_ptr<RedactedValues> redacted)
      : found_(found), shared_(std::move(redacted)) {}

  bool looked_for() const { return found_ != nullptr; }
  // Whether the log may have events without secrets that are not looked for any more.
  bool may_be_hidden() const { return may_be_hidden_; }
  void set_may_be_hidden(bool may_be_hidden) { may_be_hidden_ = may_be_hidden; }
  RedactedValues& redacted() { return shared_ != nullptr ? *shared_ : own_; }

  // The event without what was found: it may have come in when less was. None: it has nothing of that.
  Result<std::optional<Event>> RemoveFound(const EventView& event);
  // The event without either. None: it has nothing of them.
  Result<std::optional<Event>> Remove(const EventView& event);
  // A value that was redacted in an event does not come back in another one, which may repeat it.
  Status RemoveRedacted(std::span<WaitingEvent> waiting);

  // Whether an event of the log and one of the source are the same, but for what must not come in.
  Result<bool> AreSame(const EventView& stored, const EventView& event, const Format& format);

 private:
  SourceSecrets* const found_;
  bool may_be_hidden_ = false;
  const std::shared_ptr<RedactedValues> shared_;
  RedactedValues own_;
};

}  // namespace turnlog
