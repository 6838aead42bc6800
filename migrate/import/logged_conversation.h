// A conversation of the log that is imported again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "migrate/compare/record_revisions.h"
#include "migrate/format.h"
#include "migrate/import/conversation_secrets.h"
#include "migrate/import/import_refusal.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/stored_events.h"

namespace turnlog {

// Its imported events, in order.
class LoggedEvents {
 public:
  // `imports`: nothing: its format has no import records. `last`: what precedes `events`.
  LoggedEvents(StoredEvents events, std::optional<ImportHistory> imports, Seq last)
      : events_(std::move(events)), imports_(std::move(imports)), last_(last) {}

  // The next one. Nothing: there are no more.
  Result<std::optional<StoredEvent>> Next();
  // Whether turnlog itself (the sanitizer or a redaction) added the event to a conversation that keeps growing in its
  // source, which has one of kind `now` there.
  bool IsOwn(const EventView& stored, EventKind now) const;

  const std::optional<ImportHistory>& imports() const { return imports_; }
  bool all_read() const { return all_read_; }
  // As far as they were read: the last event, imported or not, whether there are some of other appends, and how many
  // are missing of the last import, if it was interrupted.
  Seq last() const { return last_; }
  bool continued() const { return continued_; }
  std::uint64_t missing() const { return origins_.missing(); }

 private:
  StoredEvents events_;
  const std::optional<ImportHistory> imports_;
  EventOrigins origins_;
  Seq last_;
  bool continued_ = false, all_read_ = false;
};

// What all that compares it with its source needs.
struct LoggedConversation {
  Log& log;
  const ConversationId& id;
  const Format& format;
  ConversationSecrets& secrets;
  ImportRefusal& refusal;
  LoggedEvents events;
  std::unique_ptr<RecordRevisions> revisions{};  // null: its format has no templates, or all of it was compared
  std::uint64_t matched = 0;                     // events of the source that it has
  bool redacted = false;                         // some imported event was redacted

  // Events from `first` on.
  Result<StoredEvents> ReadFrom(Seq first) const { return StoredEvents::Open(log, id, first); }
  // Whether what is left of an event of the log does not show whether it is this one.
  static bool MayBeRedacted(const StoredEvent& stored, const EventView& event);
  Result<bool> IsSame(const StoredEvent& stored, const EventView& event) {
    return secrets.AreSame(stored.event, event, format);
  }
  // Whether doctor mends events one by one: there is no place for what a record has become.
  bool MendsAlone() const { return events.imports() && !revisions; }
};

}  // namespace turnlog
