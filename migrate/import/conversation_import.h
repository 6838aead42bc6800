// Imports the events of one conversation from a source.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "migrate/compare/event_places.h"
#include "migrate/compare/redacted_values.h"
#include "migrate/format.h"
#include "migrate/import/compared_conversation.h"
#include "migrate/import/conversation_secrets.h"
#include "migrate/import/import_refusal.h"
#include "migrate/import/import_run.h"
#include "migrate/import/logged_conversation.h"
#include "migrate/import/restarted_conversation.h"
#include "migrate/import/rows_beside_messages.h"
#include "migrate/import/secret_search.h"
#include "migrate/logged/import_record.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/source_history.h"
#include "migrate/logged/stored_events.h"
#include "migrate/sources/source_reader.h"
#include "turnlog/boxed.h"

namespace turnlog {

// What an import knows of a conversation beforehand.
struct ConversationSource {
  const Format* format = nullptr;
  std::string_view path;                             // for problems without an event
  std::uint64_t events = 0;                          // number in the source
  std::optional<ImportRecord> record{};              // without its event count; none: the format has no import records
  std::vector<std::string> record_secrets{};         // the rules by which secrets were removed from the record
  std::vector<ImportProblem> notes{};                // reported if the conversation is new
  const ContinuedConversation* continued = nullptr;  // the source has only the events after those imported before
  SourceSecrets* secrets = nullptr;                  // if they are redacted
  std::shared_ptr<RedactedValues> redacted{};        // of conversations with the same records; null: there are none
  bool may_restart = true;                           // it may have nothing in common with what is in the log
  std::uint64_t lacking = 0;                         // records that only the log has, which was reported
};

// Memory: events added and not flushed. Small before it is flushed: many conversations may be interleaved.
class ConversationImport {
 public:
  ConversationImport(ImportRun& run, ConversationId id, ConversationSource source)
      : run_(run),
        id_(std::move(id)),
        source_(std::move(source)),
        refusal_(source_.path, source_.secrets != nullptr),
        secrets_(source_.secrets, source_.redacted) {}
  ConversationImport(ConversationImport&&) = delete;  // its parts refer to each other

  const ConversationId& id() const { return id_; }
  void Add(SourceEvent&& event);
  std::size_t bytes() const { return bytes_; }
  // All events were added.
  bool complete() const { return added_ == source_.events; }

  // Compares the added events with the log and appends the new ones. When complete, updates the report. Fails if the
  // conversation cannot be imported (see refusal()), or if the log fails.
  Status Flush();
  const ImportRefusal& refusal() const { return refusal_; }
  // Nothing but what is besides the events has changed, and that was not appended (ImportRun::may_postpone).
  bool postponed() const { return postponed_; }
  // REQUIRES: complete and flushed.
  ImportedConversation result() const {
    const bool compared =
        restarted_ == nullptr && source_.continued == nullptr;  // and the source has all that the log has
    return {last_, record_seq_, exact_, compared ? 0 : source_.lacking};
  }

 private:
  HeldEvent Hold(SourceEvent& event);
  Result<bool> TryNew();
  void Continue();
  // Of a conversation that the log has (imported_again.cc).
  Status Open();
  Status OpenImported(Seq last);
  Status OpenNumbered(Seq last);
  void OpenEvents(StoredEvents events, std::optional<ImportHistory> imports, Seq last);
  void HoldBegunRecord();
  Status Compare();
  Status TakeNew(std::size_t from);
  Status TakeDifferent(const StoredEvent& different, std::size_t at);
  Result<bool> Restart(const StoredEvent& different, std::size_t at);
  Status TakeRestarted();
  Status TakeShrunk(const StoredEvent& missing);
  Result<bool> LacksOnlyRemoved(const StoredEvent& missing);
  Status AddRows();
  Status TakeOnlyRows();
  // What is new.
  Result<bool> AddRevisions();
  Status Prepare();
  void PrepareRecord(std::uint64_t events);
  Status AppendWaiting();
  Status Finish();
  void LookAtId();
  void ReportWaiting();
  void ReportRecord();
  RecordRevisions* revisions() const { return logged_ ? logged_->revisions.get() : nullptr; }
  void Note(ImportReason reason) { Note(std::move(reason), {source_.path}); }
  void Note(ImportReason reason, const SourceLocation& location) {
    run_.report().notes.push_back(At(location, std::move(reason)));
  }

  ImportRun& run_;
  const ConversationId id_;
  ConversationSource source_;
  ImportRefusal refusal_;
  ConversationSecrets secrets_;
  HeldEvents copies_;  // of those that waiting_ has
  std::vector<WaitingEvent> waiting_;
  std::vector<WaitingEvent> begun_record_;  // of one that may go on, taken from waiting_ while that is compared
  std::size_t bytes_ = 0;
  std::uint64_t added_ = 0;
  bool flushed_ = false;     // some events are in the log; the rest must follow
  bool up_to_date_ = false;  // no new events
  bool prepared_ = false;    // the log has been read
  bool appended_ = false;
  bool postponed_ = false;
  bool in_log_ = false;  // it existed before
  bool exact_ = true;    // the log has all of the source as it is
  Seq last_;             // of the conversation in the log
  // Null: it did not exist, or what they are for did not happen.
  std::unique_ptr<LoggedConversation> logged_;
  std::unique_ptr<ComparedConversation> compared_;
  std::unique_ptr<RowsBesideMessages> rows_;
  std::unique_ptr<RestartedConversation> restarted_;
  std::uint64_t added_revisions_ = 0;  // among waiting_
  std::uint64_t added_rows_ = 0;       // so far
  std::uint64_t missing_ = 0;          // events missing from an earlier, interrupted import
  Boxed<Event> record_;                // goes before the events after those
  Seq record_seq_;                     // of the last import record
};

}  // namespace turnlog
