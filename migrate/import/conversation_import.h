// Imports the events of one conversation from a source.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "migrate/compare/event_places.h"
#include "migrate/compare/mended_record.h"
#include "migrate/compare/record_revisions.h"
#include "migrate/compare/redacted_records.h"
#include "migrate/compare/redacted_values.h"
#include "migrate/compare/seen_records.h"
#include "migrate/format.h"
#include "migrate/import/import_run.h"
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
      : run_(run), id_(std::move(id)), source_(std::move(source)) {}

  const ConversationId& id() const { return id_; }
  void Add(SourceEvent&& event);
  std::size_t bytes() const { return bytes_; }
  // All events were added.
  bool complete() const { return added_ == source_.events; }

  // Compares the added events with the log and appends the new ones. When complete, updates the report. Fails if the
  // conversation cannot be imported (see fault()), or if the log fails.
  Status Flush();
  // The location of the problem if the conversation was refused.
  const SourceLocation& fault() const { return fault_; }
  ImportProblemCode fault_code() const { return fault_code_; }
  // Nothing but what is besides the events has changed, and that was not appended (ImportRun::may_postpone).
  bool postponed() const { return postponed_; }
  // REQUIRES: complete and flushed.
  ImportedConversation result() const {
    const bool compared = !seen_ && source_.continued == nullptr;  // and the source has all that the log has
    return {last_, record_seq_, exact_, compared ? 0 : source_.lacking};
  }

 private:
  // The state of a conversation that is already in the log.
  struct Stored {
    StoredEvents events;
    EventOrigins origins;
    std::optional<ImportHistory> imports;
    bool continued = false;  // by other appends
    bool redacted = false;   // some imported event was redacted
    bool read = false;       // read to its end
    std::uint64_t matched = 0;
  };

  HeldEvent Hold(SourceEvent& event);
  Result<bool> TryNew();
  void Continue();
  Status OpenStored();
  Status OpenImported(Seq last);
  Status OpenNumbered(Seq last);
  void HoldBegunRecord();
  Status JoinOriginal(const StoredEvent& stored, std::size_t& at);
  Result<bool> HasOtherOriginal(const StoredEvent& stored, std::size_t at);
  struct RecordBytes {
    std::string bytes;
    int turns = 0;  // that begin in it
    Seq last;
  };
  Result<std::optional<RecordBytes>> BytesInLog();
  Result<bool> PassRecord(const StoredEvent& stored, std::size_t& at);
  Result<bool> PassBegunOtherwise(const StoredEvent& stored, std::size_t& at);
  bool PassTurnStart(const StoredEvent& stored, std::size_t at);
  Result<bool> RenumberTurns();
  enum class Comparison : std::uint8_t { kGoesOn, kDone };  // done: waiting_ has what is new
  Status Compare();
  Result<Comparison> CompareNext(const StoredEvent& stored, std::size_t& at);
  Result<bool> IsEqual(const StoredEvent& stored, std::size_t at);
  Result<Comparison> TakeDifferent(const StoredEvent& stored, std::size_t& at);
  Status TakeNew(std::size_t from);
  Status TakeRows();
  Result<bool> IsKnownRow(const std::string& name, const EventView& event);
  Status AddRows();
  Result<bool> ReadSeen(const StoredEvent& different, std::size_t at);
  Status DropSeen();
  Result<std::vector<WaitingEvent>> TakeFresh();
  Result<std::size_t> TakeSeen(std::span<const EventView> record, const SourceLocation& location);
  using AboutRecord = std::function<bool(std::span<const EventView> stored)>;
  Result<bool> AskOfRecord(Seq first, std::size_t events, const AboutRecord& ask);
  MovedResults Moved();
  Result<bool> LacksOthers();
  static Status LeaveOutIds(std::span<WaitingEvent> record);
  Status TakeShrunk(const StoredEvent& missing);
  Result<bool> LacksOnlyRemoved(const StoredEvent& missing);
  Status TakeOnlyRows();
  // Whether the log may have it without secrets that are not looked for any more.
  bool MayHideSecrets() const { return stored_->imports && stored_->imports->last.redacted && !run_.redacts_secrets(); }
  // Whether doctor mends events one by one: there is no place for what a record has become.
  bool MendsAlone() const { return stored_->imports && !revisions_; }
  bool IsOwn(const StoredEvent& stored, const WaitingEvent& waiting) const;
  Result<std::optional<Event>> Redact(const EventView& event);
  static bool MayBeRedacted(const StoredEvent& stored, const EventView& event);
  Result<bool> IsSame(const StoredEvent& stored, const EventView& event);
  Status MoveToPlace(const StoredEvent& stored, std::size_t at);
  Result<bool> IsTheSame(const StoredEvent& stored, const WaitingEvent& waiting);
  Status FinishOrder(std::size_t from);
  Result<bool> IsForgotten(const StoredEvent& erased, std::size_t at);
  RedactedValues& Redacted() { return source_.redacted != nullptr ? *source_.redacted : redacted_values_; }
  Status RemoveRedactedValues();
  Status AddSeen(const StoredEvent& stored);
  Status AddBegunRecord(std::size_t begin);
  Result<std::optional<StoredEvent>> NextImported();
  Result<bool> AddRevisions();
  Status Prepare();
  void PrepareRecord(std::uint64_t events);
  Status AppendWaiting();
  Status Finish();
  void LookAtId();
  void ReportWaiting();
  void ReportRecord();
  std::unexpected<Error> RefuseChanged(const SourceLocation& location, Seq seq);
  std::unexpected<Error> RefuseNumbered(const WaitingEvent& waiting, const StoredEvent& own);
  std::unexpected<Error> Refuse(const SourceLocation& location, ImportReason reason);
  std::unexpected<Error> Refuse(ImportReason reason) { return Refuse({source_.path}, std::move(reason)); }
  void Note(ImportReason reason) { Note(std::move(reason), {source_.path}); }
  void Note(ImportReason reason, const SourceLocation& location) {
    run_.report().notes.push_back(At(location, std::move(reason)));
  }

  ImportRun& run_;
  const ConversationId id_;
  ConversationSource source_;
  HeldEvents copies_;  // of those that waiting_ has
  std::vector<WaitingEvent> waiting_;
  std::vector<WaitingEvent> begun_record_;  // of one that may go on, taken from waiting_ while that is compared
  std::optional<RecordOrder> order_;        // of the record that is being compared, if that is another one in the log
  std::size_t bytes_ = 0;
  std::uint64_t added_ = 0;
  bool flushed_ = false;     // some events are in the log; the rest must follow
  bool up_to_date_ = false;  // no new events
  bool prepared_ = false;    // the log has been read
  bool appended_ = false;
  bool postponed_ = false;
  bool in_log_ = false;                         // it existed before
  Seq passed_;                                  // what the log has up to here is not compared
  int turns_passed_ = 0;                        // that begin there in the source, and not in the log
  Seq last_;                                    // of the conversation in the log
  Seq record_first_;                            // of the record that is being compared
  bool record_redacted_ = false;                // some event of it in the log
  std::unique_ptr<Stored> stored_;              // null: it did not exist
  std::unique_ptr<SeenRecords> seen_;           // the source was begun again
  RedactedRecords redacted_records_;            // if so
  SourceLocation begun_again_;                  // where it differs first
  Seq replaced_;                                // what the log has there
  bool shares_ = false;                         // the source has a record that is in the log
  std::unique_ptr<RecordRevisions> revisions_;  // if its format has templates
  std::uint64_t added_revisions_ = 0;           // among waiting_
  std::uint64_t added_rows_ = 0;                // so far
  RedactedValues redacted_values_;              // of the events that were compared
  std::vector<WaitingEvent> rows_;              // beside the messages, that the log does not have as they are
  std::uint64_t missing_ = 0;                   // events missing from an earlier, interrupted import
  Boxed<Event> record_;                         // goes before the events after those
  Seq record_seq_;                              // of the last import record
  bool exact_ = true;                           // the log has all of the source as it is
  SourceLocation fault_;
  ImportProblemCode fault_code_ = ImportProblemCode::kRefused;  // by the log
};

}  // namespace turnlog
