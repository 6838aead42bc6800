// Brings the events of one conversation into the log, as they come from a source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "migrate/format.h"
#include "migrate/import/import_record.h"
#include "migrate/import/import_run.h"
#include "migrate/import/imported_events.h"
#include "migrate/import/source_reader.h"
#include "migrate/import/stored_events.h"

namespace turnlog {

// What an import knows of a conversation before it brings it in.
struct ConversationSource {
  const Format* format = nullptr;
  std::string_view path;               // for problems that no event has
  std::uint64_t events = 0;            // how many the source has
  std::optional<ImportRecord> record;  // without its count; none: the format writes no records
  std::vector<ImportProblem> notes;    // told when it is new
};

// Memory: what was added and not flushed.
class ConversationImport {
 public:
  ConversationImport(ImportRun& run, ConversationId id, ConversationSource source)
      : run_(run), id_(std::move(id)), source_(std::move(source)) {}

  void Add(const SourceEvent& event);
  std::size_t bytes() const { return bytes_; }
  // All events were added.
  bool complete() const { return added_ == source_.events; }
  // Some of it has gone to the log; what comes must follow.
  bool flushed() const { return flushed_; }

  // Holds what was added against what the log has, and appends what is new. When it is complete, books it. Fails if the
  // conversation cannot be imported, with the place where there is one; or if the log fails.
  Status Flush();
  // Where the conversation was refused, if it was.
  const SourcePlace& fault() const { return fault_; }

 private:
  struct Waiting {
    Event event;
    Seq seq;  // that the source says; 0: nothing
    SourcePlace place;
    std::string problem, note;
  };
  // What a conversation that is in the log already has of the source.
  struct Stored {
    StoredEvents events;
    EventOrigins origins;
    std::optional<ImportHistory> imports;
    bool continued = false;  // by others
    bool redacted = false;   // some event that was imported
    bool read = false;       // to its end
    std::uint64_t matched = 0;
  };

  Result<bool> TryNew();
  Status OpenStored();
  Status OpenImported(Seq last);
  Status OpenNumbered(Seq last);
  Status Compare();
  bool IsOwn(const StoredEvent& stored, const Waiting& waiting) const;
  Result<std::optional<StoredEvent>> NextImported();
  Status Prepare();
  void PrepareRecord();
  Status AppendWaiting();
  Status Finish();
  void Report(Waiting& waiting);
  std::unexpected<Error> Refuse(const SourcePlace& place, std::string reason);
  std::unexpected<Error> Refuse(std::string reason) { return Refuse(SourcePlace{source_.path}, std::move(reason)); }

  ImportRun& run_;
  const ConversationId id_;
  ConversationSource source_;
  std::vector<Waiting> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t added_ = 0;
  bool flushed_ = false;
  bool up_to_date_ = false;  // nothing of it is new
  bool prepared_ = false;    // everything in the log has been looked at
  bool appended_ = false;
  bool in_log_ = false;           // it was in the log before
  Seq last_;                      // of the conversation in the log
  std::optional<Stored> stored_;  // none: it was not in the log
  std::uint64_t missing_ = 0;     // events that belong to an earlier, interrupted import
  std::optional<Event> record_;   // stands in front of the events behind those
  SourcePlace fault_;
};

}  // namespace turnlog
